// The sizes of a file: as areas in the colors that are asked for, and as a tree.
const KNOWN_MEMBERS = new Set(["name", "label", "size", "components", "aliases", "note", "refers_to", "compressed_bytes", "planes_bytes", "offset", "isModule", "count", "growth", "dtype", "module"]);
const SHOWN_USERS = 8;

// Of each component what its color stands for; null where that differs inside.
function categoriesOf(root, meaning, facts) {
  const found = new Map(), sums = new Map();
  const visit = (trail) => {
    const node = trail[trail.length - 1], inside = insideOf(node);
    let category = MEANINGS[meaning](trail, facts);
    if (inside.length === 0) {
      if (category) sums.set(category, (sums.get(category) || 0) + node.size);
    } else {
      const all = new Set(inside.map((one) => visit(trail.concat(one))));
      if (!category || trail.length === 1) category = all.size === 1 ? [...all][0] : null;
    }
    found.set(node, category);
    return category;
  };
  visit([root]);
  const order = [...sums].sort((a, b) => b[1] - a[1]);
  return { of: (node) => found.get(node), sums: order, color: (category) => COLORS[order.findIndex(([name]) => name === category)] || GREY };
}
function legendOf(categories, root) {
  const rest = root.size - categories.sums.slice(0, COLORS.length - 1).reduce((sum, [, size]) => sum + size, 0);
  const rows = categories.sums.slice(0, COLORS.length - 1).concat(rest > 0 ? [["other or not known", rest]] : []);
  return element("ul", { class: "legend" }, ...rows.map(([name, size], i) => element("li", {},
    element("span", { class: "swatch", style: `background:${i < categories.sums.length ? COLORS[i] : GREY}` }), `${name} ${humanSize(size)}`)));
}
function usersText(users) {
  const all = Array.isArray(users) ? users : [...(users || [])];
  if (all.length === 0) return null;
  return all.slice(0, SHOWN_USERS).join(", ") + (all.length > SHOWN_USERS ? ` and ${all.length - SHOWN_USERS} more` : "");
}
function sizesPanel(trail, root, facts) {
  const node = trail[trail.length - 1], known = facts.what(trail), parent = trail[trail.length - 2];
  const type = node.dtype || known.type, sizes = known.sizes;
  const others = Object.entries(node).filter(([name, value]) => !KNOWN_MEMBERS.has(name) && !isObject(value));
  const refers = (node.refers_to || []).length ? `${node.refers_to.length} keys, ${humanSize(node.refers_to.reduce((sum, one) => sum + (one.bytes || 0), 0))}` : null;
  const links = [];
  if (known.view && !node.isModule) links.push(stateLink(`row in ${titled(known.view)}`, { view: known.view, find: known.row }));
  if (trail.length > 1 && !node.isModule) links.push(stateLink("row in the tree", { view: "sizes", find: node.name }));
  return [element("h3", {}, trail.length > 1 ? node.name : "All"), factList([
    ["Inside", trail.length > 2 ? trail.slice(1, -1).map((one) => one.name).join(" › ") : null],
    ["Also", (node.aliases || []).join(", ")], ["Type", type], ["Sizes", sizes && `[${sizes.join(", ")}]`],
    ["Bytes", `${humanSize(node.size)} (${node.size})`], ["Of the file", percent(node.size, root.size)],
    [`Of ${parent && parent !== root ? parent.name : ""}`, parent && parent !== root ? percent(node.size, parent.size) : null],
    ["Compressed", node.compressed_bytes === undefined ? null : humanSize(node.compressed_bytes)],
    ["In planes", node.planes_bytes === undefined ? null : humanSize(node.planes_bytes)],
    ["Components", inner(node) ? String(insideOf(node).length) : null], ["Backend", facts.backend(trail)],
    ["Operators", known.operators ? String(known.operators) : null], ["Used by", usersText(known.users)], ["Refers to", refers],
    ["Offset", node.offset === undefined ? null : `0x${node.offset.toString(16)} (${node.offset})`], ["Hash", known.hash],
    ["Note", node.note], ...others.map(([name, value]) => [titled(name), Array.isArray(value) ? joined(value) : String(value ?? "")])]),
    element("p", {}, ...links.flatMap((link, i) => (i ? [", ", link] : [link])))];
}
function sizesSection(file, marked) {
  const root = file.sizes, facts = factsOf(file);
  const meanings = Object.keys(MEANINGS).filter((one) => one === "component" || categoriesOf(root, one, facts).sums.length > 0);
  const chosen = () => meanings.includes(state().get("color")) ? state().get("color") : "component";
  let categories = categoriesOf(root, chosen(), facts);
  const map = areaMap({ root, state: "zoom", label: "Sizes as areas", size: (trail) => `${humanSize(trail[trail.length - 1].size)}`,
    color: (trail) => categories.color(categories.of(trail[trail.length - 1])), panel: (trail) => sizesPanel(trail, root, facts) });
  const legend = element("div"), table = element("div");
  const choice = element("select", { "aria-label": "what colors mean", onchange: () => go({ color: choice.value === "component" ? "" : choice.value }) },
    ...meanings.map((one) => element("option", { value: one }, "colors by " + one)));
  let path = null;
  const section = element("section", { id: "sizes" }, element("h2", {}, "Sizes"), meanings.length > 1 ? choice : null, map, legend, table);
  section.update = () => {
    categories = categoriesOf(root, chosen(), facts);
    choice.value = chosen();
    legend.replaceChildren(legendOf(categories, root));
    map.update();
    const trail = trailTo(root, namesIn("zoom"));
    if (pathOf(trail) !== path) table.replaceChildren(sizeTable(root, trail, marked));
    path = pathOf(trail);
  };
  section.draw = map.draw;
  section.goOut = map.goOut;
  return section;
}
