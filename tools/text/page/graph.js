// The nodes of a method as boxes and lines: where each goes. Nothing here draws.
const NODE_WIDTH = 176, NODE_HEIGHT = 40, GAP_ACROSS = 18, GAP_DOWN = 26, FRAME = 10, FRAME_HEAD = 30, MOST_INSIDE = 400;

// What a node takes, as names: "%x" in its arguments, also inside lists.
function takenBy(node) {
  return [...(node.args || []), ...(node.kwargs || [])].flatMap((text) => [...String(text).matchAll(/%([\w.]+)/g)].map((found) => found[1]));
}
const shortTarget = (target) => String(target).replace(/^torch\.ops\.higher_order\./, "").replace(/^executorch\.exir\.dialects\.edge\._ops\./, "");

function operatorsText(lowered) {
  const count = (lowered.nodes || []).filter((one) => one.op === "call_function").length;
  return lowered.why_opaque ? "opaque" : `${count} operator${count === 1 ? "" : "s"}`;
}

// Of nodes, boxes: { node, title, detail, constants, lowered, from } in the order of the program. Constants, which are
// names, are dots at the boxes that take them; items of tuples have no box of their own: lines lead through them.
function boxesOf(nodes) {
  const boxes = [], boxOf = new Map(), constantOf = new Map(), lowered = new Map();
  for (const node of nodes) {
    if (node.lowered) { lowered.set(node.name, node); continue; }
    if (node.op === "get_attr") { constantOf.set(node.name, node.target); continue; }
    const taken = takenBy(node);
    if (node.target === "operator.getitem" && boxOf.has(taken[0])) { boxOf.set(node.name, boxOf.get(taken[0])); continue; }
    const delegate = taken.map((name) => lowered.get(name)).find(Boolean);
    const constants = [...new Set(taken.map((name) => constantOf.get(name)).filter(Boolean))];
    const box = { id: boxes.length, node, constants, lowered: delegate ? delegate.lowered : null, from: [...new Set(taken.map((name) => boxOf.get(name)).filter(Boolean))],
      kind: delegate ? "delegate" : node.op === "placeholder" ? "input" : "operator", title: delegate ? delegate.lowered.backend_id : shortTarget(node.target) };
    box.detail = delegate ? operatorsText(delegate.lowered) : node.name;
    boxes.push(box);
    boxOf.set(node.name, box);
  }
  return boxes;
}
// Of each box x and y, and of the open ones their inside; the answer is the size of it all. Linear but for sorting layers.
function layOut(boxes, isOpen) {
  const layers = [];
  for (const box of boxes) {
    box.layer = box.from.reduce((deepest, one) => Math.max(deepest, one.layer + 1), 0);
    (layers[box.layer] = layers[box.layer] || []).push(box);
    box.width = NODE_WIDTH;
    box.height = NODE_HEIGHT;
    box.inside = null;
    if (!box.lowered || !isOpen(box)) continue;
    const listed = (box.lowered.nodes || []).slice(0, MOST_INSIDE);
    const inside = boxesOf(listed), size = box.lowered.has_arguments ? layOut(inside, () => false) : stack(inside);
    box.inside = inside;
    box.width = Math.max(NODE_WIDTH, size.width + 2 * FRAME);
    box.height = FRAME_HEAD + size.height + FRAME;
    for (const one of inside) { one.x += FRAME; one.y += FRAME_HEAD; one.outer = box; }
  }
  let top = 0, least = 0, most = 0;
  for (const layer of layers) {
    const wish = (box) => (box.from.length ? box.from.reduce((sum, one) => sum + one.x + one.width / 2, 0) / box.from.length : 0) - box.width / 2;
    const ordered = layer.map((box) => [wish(box), box]).sort((a, b) => a[0] - b[0] || a[1].id - b[1].id);
    let end = -Infinity, moved = 0;
    for (const [x, box] of ordered) {
      box.x = Math.max(x, end);
      box.y = top;
      end = box.x + box.width + GAP_ACROSS;
      moved += box.x - x;
    }
    for (const box of layer) {
      box.x -= moved / layer.length;
      least = Math.min(least, box.x);
      most = Math.max(most, box.x + box.width);
    }
    top += Math.max(...layer.map((box) => box.height)) + GAP_DOWN;
  }
  for (const box of boxes) box.x -= least;
  return { width: most - least, height: Math.max(0, top - GAP_DOWN) };
}
// One below the other: in the order that a blob has them.
function stack(boxes) {
  boxes.forEach((box, i) => Object.assign(box, { x: 0, y: i * (NODE_HEIGHT + 6), width: NODE_WIDTH, height: NODE_HEIGHT, inside: null }));
  return { width: NODE_WIDTH, height: boxes.length * (NODE_HEIGHT + 6) - 6 };
}
