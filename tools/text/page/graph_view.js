// The picture of a method's graph: only what is in sight is drawn, so that thousands of nodes scroll as a few do.
const MARGIN = 16, BEYOND = 200, FAR = 4;
const MOST_DOTS = 6, MOST_CONSTANTS = 50;
const KIND_COLORS = { input: COLORS[5], operator: COLORS[0], delegate: COLORS[3], inside: COLORS[6] };

// What is known of a constant, and the way to its row.
function constantItem(name, tensors) {
  const tensor = tensors.get(name);
  const facts = tensor ? `: ${tensor.dtype}[${(tensor.sizes || []).join(",")}], ${humanSize(tensor.bytes || 0)}` : "";
  return element("li", {}, tensor ? stateLink(name, { view: "tensors", find: name }) : name, facts);
}
function constantList(names, tensors) {
  if (names.length === 0) return null;
  const more = names.length - MOST_CONSTANTS;
  return element("ul", { class: "constants", "aria-label": "constants" }, ...names.slice(0, MOST_CONSTANTS).map((name) => constantItem(name, tensors)),
    more > 0 ? element("li", {}, `and ${more} more`) : null);
}
function graphPanel(box, tensors) {
  const { node, lowered } = box, takes = [...(node.args || []), ...(node.kwargs || [])];
  const row = lowered ? takenBy(node)[0] : node.name;
  return [element("h3", {}, node.name), factList([
    ["Target", node.target], ["Backend", lowered && lowered.backend_id], ["Opaque", lowered && lowered.why_opaque],
    ["Operators", lowered && joined((lowered.nodes || []).filter((one) => one.op === "call_function").map((one) => shortTarget(one.target)))],
    ["Takes", takes.join(", ")], ["Constants", box.constants.length ? String(box.constants.length) : null], ["Users", node.users === undefined ? null : String(node.users)],
    ["In", box.outer ? box.outer.node.name : null]]), ...[constantList(box.constants, tensors)].filter(Boolean),
    element("p", {}, stateLink("row in the listing", { view: "graph", find: box.outer ? takenBy(box.outer.node)[0] : row }))];
}
function graphPicture(method, tensors) {
  const boxes = boxesOf(method.nodes), open = new Set(), drawn = new Map();
  const place = element("div", { class: "graph", tabindex: "0", role: "group", "aria-label": `graph of ${method.method}, ${boxes.length} nodes` });
  const panel = element("aside", { class: "panel", "aria-live": "polite", "aria-label": "what it is" });
  const picture = svg("svg", { role: "presentation" }), lines = svg("g", { class: "lines" }), nodes = svg("g", {});
  picture.append(lines, nodes);
  place.append(picture);
  const edges = [];
  const measure = () => {
    const size = layOut(boxes, (box) => open.has(box));
    picture.setAttribute("width", size.width + 2 * MARGIN);
    picture.setAttribute("height", size.height + 2 * MARGIN);
    edges.length = 0;
    const add = (list, outer) => {
      for (const box of list) {
        box.left = MARGIN + box.x + (outer ? outer.left - MARGIN : 0);
        box.top = MARGIN + box.y + (outer ? outer.top - MARGIN : 0);
        for (const from of box.from) edges.push([from, box]);
        if (box.inside) add(box.inside, box);
      }
    };
    add(boxes, null);
    drawn.clear();
    nodes.replaceChildren();
  };
  const boxElement = (box) => {
    const opens = box.lowered && !box.lowered.why_opaque && (box.lowered.nodes || []).length > 0;
    const color = KIND_COLORS[box.outer ? "inside" : box.kind];
    const group = svg("g", { class: "node" + (opens ? " opens" : ""), tabindex: "0", role: "button", "data-name": box.node.name, "data-kind": box.kind,
      "aria-label": `${box.title}, ${box.detail}` + (box.constants.length ? `, ${box.constants.length} constants` : "") + (opens ? `, ${box.inside ? "closes" : "opens"}` : ""),
      transform: `translate(${box.left},${box.top})` });
    if (opens) group.setAttribute("aria-expanded", String(Boolean(box.inside)));
    group.append(svg("rect", { width: box.width, height: box.height, rx: 4, fill: box.inside ? "none" : color, stroke: color, "stroke-width": box.inside ? 2 : 1 }),
      ...(box.inside ? [svg("rect", { width: box.width, height: FRAME_HEAD - 6, rx: 4, fill: color })] : []),
      svg("text", { x: 8, y: 16, class: "inside" }, fitted((opens ? (box.inside ? "▾ " : "▸ ") : "") + box.title, box.width - 16)));
    box.constants.slice(0, MOST_DOTS).forEach((name, i) => group.append(
      svg("circle", { class: "constant", cx: box.width - 12 - 12 * i, cy: 0, r: 5 }, svg("title", {}, name))));
    if (!box.inside) group.append(svg("text", { x: 8, y: 32, class: "inside" }, fitted(box.detail, box.width - 16)));
    group.addEventListener("click", () => { tell(box); if (opens) toggle(box); });
    for (const kind of ["pointerenter", "focus"]) group.addEventListener(kind, () => tell(box));
    group.addEventListener("keydown", (event) => keys(event, box, opens));
    return group;
  };
  let told = null;
  const tell = (box) => {
    if (box === told) return;
    told = box;
    panel.replaceChildren(...graphPanel(box, tensors));
    drawLines();
  };
  const all = () => boxes.flatMap((box) => (box.inside ? [box, ...box.inside] : [box]));
  const focus = (box) => {
    if (!box) return;
    if (box.top < place.scrollTop || box.top + NODE_HEIGHT > place.scrollTop + place.clientHeight) place.scrollTop = box.top - place.clientHeight / 3;
    if (box.left < place.scrollLeft || box.left + NODE_WIDTH > place.scrollLeft + place.clientWidth) place.scrollLeft = box.left - place.clientWidth / 3;
    draw();
    if (drawn.has(box)) drawn.get(box).focus({ preventScroll: true });
  };
  const keys = (event, box, opens) => {
    const list = all(), at = list.indexOf(box);
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (step) focus(list[at + step]);
    else if ((event.key === "Enter" || event.key === " ") && opens) toggle(box);
    else if (event.key === "Escape" && (box.inside || box.outer)) toggle(box.outer || box);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const toggle = (box) => {
    open.has(box) ? open.delete(box) : open.add(box);
    const before = box.top;
    measure();
    place.scrollTop += box.top - before;
    focus(box);
  };
  const draw = () => {
    const top = place.scrollTop - BEYOND, bottom = place.scrollTop + (place.clientHeight || 600) + BEYOND;
    const left = place.scrollLeft - BEYOND, right = place.scrollLeft + (place.clientWidth || 1000) + BEYOND;
    const inSight = (box) => box.top < bottom && box.top + box.height > top && box.left < right && box.left + box.width > left;
    const visible = all().filter(inSight), kept = new Set(visible);
    for (const [box, one] of drawn) if (!kept.has(box) && one !== document.activeElement) { one.remove(); drawn.delete(box); }
    for (const box of visible) if (!drawn.has(box)) { drawn.set(box, boxElement(box)); nodes.append(drawn.get(box)); }
    drawLines();
  };
  // Those of the node that is told of stand out; of the others, the long ones stay back.
  const drawLines = () => {
    lines.replaceChildren(...edges.filter(([from, to]) => drawn.has(from) || drawn.has(to)).map(([from, to]) => {
      const x1 = from.left + from.width / 2, y1 = from.top + from.height, x2 = to.left + to.width / 2, y2 = to.top, bend = Math.min(40, (y2 - y1) / 2);
      const look = from === told || to === told ? "of" : to.layer - from.layer > FAR ? "far" : "near";
      return svg("path", { class: look, d: `M${x1},${y1} C${x1},${y1 + bend} ${x2},${y2 - bend} ${x2},${y2}` });
    }));
  };
  let waits = false;
  place.addEventListener("scroll", () => {
    if (waits) return;
    waits = true;
    requestAnimationFrame(() => { waits = false; draw(); });
  });
  measure();
  panel.append(element("p", { class: "note" }, "A node says more when it is clicked or has the focus; delegates open. Dots are constants. Arrow keys go through the program."));
  const box = element("div", { class: "map-and-panel" }, place, panel);
  box.draw = draw;
  box.start = () => { const first = boxes[0]; if (first) place.scrollLeft = first.left + first.width / 2 - place.clientWidth / 2; };
  return box;
}
// The same as rows: of what is in a delegate, its name in the first column.
function graphRows(method) {
  const row = (node, delegate) => ({ delegate, name: node.name, op: node.op, target: node.target, takes: [...(node.args || []), ...(node.kwargs || [])].join(", "), users: node.users });
  return method.nodes.flatMap((node) => [row(node, ""), ...((node.lowered || {}).nodes || []).map((one) => row(one, node.name))]);
}
function graphSection(methods, leftOut, marked) {
  const file = report.find((one) => one.graph === methods) || {}, tensors = new Map((file.tensors || []).map((one) => [one.name, one]));
  const parts = methods.filter((one) => Array.isArray(one.nodes)).map((method, i) => {
    const nodes = method.nodes, rows = graphRows(method), listing = element("div", { class: "listing" });
    const holder = element("details", { open: i === 0, ontoggle: () => holder.draw && holder.draw() }, element("summary", {}, `${method.method}: ${nodes.length} nodes`));
    holder.draw = () => {
      if (!holder.open) return;
      if (!listing.firstChild) {
        holder.picture = graphPicture(method, tensors);
        listing.append(element("h3", {}, "Listing"), searchableTable(rows, method.nodes_left_out, marked));
        holder.append(holder.picture, listing);
        holder.picture.start();
      }
      holder.picture.draw();
    };
    return holder;
  });
  const box = element("div", {}, ...parts);
  box.draw = () => parts.forEach((one) => one.draw());
  return [box];
}
