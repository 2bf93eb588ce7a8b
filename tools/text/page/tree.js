// The size tree: what is inside a component, by the module that each says it is in, and as rows that open.
const inner = (node) => insideOf(node).length > 0;
const madeModules = new WeakMap();

// The components of a node; those of one module are in one component, as in modules.cc.
function insideOf(node) {
  const components = node.components || [];
  if (node.isModule || components.length < 3) return components;
  if (!madeModules.has(node)) madeModules.set(node, modulesAmong(components));
  return madeModules.get(node);
}
function modulesAmong(components) {
  const root = newModule("", "");
  for (const one of components) {
    let place = root, path = "";
    for (const word of one.module ? one.module.split(".") : []) {
      path += (path ? "." : "") + word;
      if (!place.inside.has(word)) place.inside.set(word, newModule(path, word));
      place = place.inside.get(word);
    }
    place.leaves.push(one);
  }
  return childrenOf(root, "");
}
function newModule(path, label) { return { path, label, inside: new Map(), leaves: [] }; }
// In the order of the names. A module of one thing is that thing.
function childrenOf(made, before) {
  const modules = [...made.inside.values()].map((one) => moduleFrom(one, before));
  return modules.length === 1 && made.leaves.length === 0 && !made.label && modules[0].isModule ? modules[0].components : modules.concat(made.leaves);
}
function moduleFrom(made, before) {
  const label = (before ? before + "." : "") + made.label;
  if (made.leaves.length === 0 && made.inside.size === 1) return moduleFrom(made.inside.values().next().value, label);
  const components = childrenOf(made, "");
  if (components.length === 1) return components[0];
  const sum = (member) => components.reduce((total, one) => total + (one[member] || 0), 0);
  return { name: made.path, label, size: sum("size"), growth: sum("growth"), isModule: true, count: components.reduce((all, one) => all + (one.count || 1), 0), components };
}
// In a module, its name before the dot is not said again.
const labelOf = (node, parent) =>
  node.label || (parent && parent.isModule && node.name.startsWith(parent.name + ".") ? node.name.slice(parent.name.length + 1) : node.name);

// The way from the root to the component that `names` lead to; as far as it goes.
function trailTo(root, names) {
  const trail = [root];
  for (const name of names) {
    const next = insideOf(trail[trail.length - 1]).find((one) => one.name === name);
    if (!next) break;
    trail.push(next);
  }
  return trail;
}
const pathOf = (trail) => trail.length > 1 ? JSON.stringify(trail.slice(1).map((node) => node.name)) : "";

const notesOf = (node) => [node.note, (node.aliases || []).length ? "also " + node.aliases.join(", ") : null].filter(Boolean).join("; ");
function sizeTable(root, trail, marked) {
  const shown = trail[trail.length - 1], hasCompressed = "compressed_bytes" in root;
  const look = { name: "Component", head: "Size", text: (node) => humanSize(node.size), title: (node) => node.size + " bytes", find: "find components", marked };
  if (hasCompressed) look.more = ["Compressed", (node) => "compressed_bytes" in node ? humanSize(node.compressed_bytes) : ""];
  return treeTable(inner(shown) ? insideOf(shown) : [shown], shown.size, look);
}
// A tree with rows that open, or, once words are typed, all components whose names have them. `look` says how nodes and their
// sizes are called and shown; it may have `more`, the head and text of one more column, open the first level, and mark a name.
function treeTable(nodes, whole, look) {
  const body = element("tbody");
  const cellsOf = (node) => [
    element("td", { class: "number", title: look.title(node) }, look.text(node)),
    look.more ? element("td", { class: "number" }, look.more[1](node)) : null,
    element("td", { class: "number" }, percent(node.size, whole)),
    element("td", { class: "share" }, element("span", { class: "bar", style: `width:${whole > 0 ? (100 * node.size) / whole : 0}%` })),
  ];
  const rowOf = (node, depth, head) => element("tr", { "data-depth": depth, class: look.marked === node.name ? "marked" : null },
    element("td", { style: `padding-left:${Math.min(depth, 12) * 1.2}rem` }, head, notesOf(node) ? element("span", { class: "note" }, " " + notesOf(node)) : null),
    ...cellsOf(node));
  const addRows = (list, depth, before, parent) => {
    for (const node of list) {
      const label = labelOf(node, parent);
      const opener = inner(node) ? element("button", { class: "opener", "aria-expanded": "false" }, label) : null;
      const row = rowOf(node, depth, opener || element("span", { class: "leaf" }, label));
      if (opener) opener.addEventListener("click", () => toggle(row, opener, node, depth));
      body.insertBefore(row, before);
    }
  };
  const toggle = (row, opener, node, depth) => {
    const opens = opener.getAttribute("aria-expanded") === "false";
    opener.setAttribute("aria-expanded", String(opens));
    if (opens) return addRows(insideOf(node), depth + 1, row.nextSibling, node);
    while (row.nextSibling && Number(row.nextSibling.dataset.depth) > depth) row.nextSibling.remove();
  };
  const search = (words) => {
    body.replaceChildren();
    if (!words) return addRows(nodes, 0, null);
    let left = ROWS_AT_FIRST * 10;
    const visit = (node, path) => {
      if (left > 0 && node.name.toLowerCase().includes(words)) {
        --left;
        body.append(rowOf(node, 0, element("span", { class: "leaf" }, [...path, node.name].join(" › "))));
      }
      for (const one of insideOf(node)) visit(one, path.concat(node.name));
    };
    for (const node of nodes) visit(node, []);
  };
  search(look.marked ? look.marked.toLowerCase() : "");
  if (look.opens) body.querySelectorAll("button.opener").forEach((opener) => opener.click());
  const heads = [[look.name, ""], [look.head, "number"]].concat(look.more ? [[look.more[0], "number"]] : [], [["Share", "number"], ["", "share"]]);
  return element("div", {},
    element("input", { type: "search", placeholder: look.find, "aria-label": look.find, value: look.marked, oninput: (event) => search(event.target.value.toLowerCase()) }),
    element("div", { class: "scroll" }, element("table", {}, element("thead", {},
      element("tr", {}, ...heads.map(([name, kind]) => element(name ? "th" : "td", { class: kind || null, scope: name ? "col" : null }, name)))), body)));
}
