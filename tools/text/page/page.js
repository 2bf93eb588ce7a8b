"use strict";
// Shows the report that the page holds: a list of objects as --json prints it. Nothing is loaded or sent.
const ROWS_AT_FIRST = 20, MAP_TILES = 400;
const COLORS = ["#2f6db5", "#b5522f", "#3c8c5a", "#7a4fa3", "#a3893a", "#4a7f8c", "#9c4068", "#5d6b7a"];
const ACRONYMS = { dtype: "Type", p10: "P10", sha256: "SHA-256" };
const report = JSON.parse(document.getElementById("report").textContent);

// ---- What things look like ----
function element(tag, attributes, ...content) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== null && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...content.filter((one) => one !== null && one !== undefined));
  return node;
}
function svg(tag, attributes, ...content) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...content);
  return node;
}
// As the tool prints sizes: powers of 1000 with two decimals.
function humanSize(bytes) {
  const size = Math.abs(bytes), sign = bytes < 0 ? "-" : "";
  for (const [unit, factor] of [["GB", 1e9], ["MB", 1e6], ["KB", 1e3]]) {
    if (size >= factor) return sign + (size / factor).toFixed(2) + " " + unit;
  }
  return sign + size + " B";
}
const growth = (bytes) => (bytes > 0 ? "+" : "") + humanSize(bytes);
const titled = (member) =>
  ACRONYMS[member] || member.split("_").map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(" ");
const isSize = (member) => /(^|_)(bytes|size)$/.test(member) && !/header_size/.test(member);
const isTable = (value) => Array.isArray(value) && value.length > 0 && value.every(isObject);
function isObject(value) { return value !== null && typeof value === "object" && !Array.isArray(value); }

// ---- The state, which the address holds, so that a link shows the same ----
function state() { return new URLSearchParams(location.hash.slice(1)); }
function go(changes) {
  const next = state();
  for (const [name, value] of Object.entries(changes)) value ? next.set(name, value) : next.delete(name);
  location.hash = next.toString();
}

// ---- The size tree ----
const inner = (node) => (node.components || []).length > 0;
// The way from the root to the component whose names, joined, are `path`; as far as it goes.
function trailTo(root, path) {
  const trail = [root];
  for (const name of path ? JSON.parse(path) : []) {
    const next = (trail[trail.length - 1].components || []).find((one) => one.name === name);
    if (!next) break;
    trail.push(next);
  }
  return trail;
}
const pathOf = (trail) => trail.length > 1 ? JSON.stringify(trail.slice(1).map((node) => node.name)) : "";

// Squarified: rows along the shorter side, each as long as its worst tile gets better.
function tilesOf(nodes, area) {
  const total = nodes.reduce((sum, node) => sum + node.size, 0), tiles = [];
  let { x, y, width, height } = area, left = total, i = 0;
  while (i < nodes.length && left > 0) {
    const across = Math.min(width, height), scale = (width * height) / left;
    const worst = (sum, most, least) => Math.max((across * across * most) / (sum * sum), (sum * sum) / (across * across * least));
    let sum = 0, best = Infinity, end = i;
    while (end < nodes.length) {
      const next = nodes[end].size * scale;
      const ratio = worst(sum + next, nodes[i].size * scale, next);
      if (ratio > best) break;
      best = ratio; sum += next; ++end;
    }
    const depth = sum / across;
    let along = 0;
    for (; i < end; ++i) {
      const length = (nodes[i].size * scale) / depth;
      tiles.push(width >= height ? { node: nodes[i], x, y: y + along, width: depth, height: length }
                                 : { node: nodes[i], x: x + along, y, width: length, height: depth });
      along += length;
      left -= nodes[i].size;
    }
    if (width >= height) { x += depth; width -= depth; } else { y += depth; height -= depth; }
  }
  return tiles;
}
// The largest with bytes; the others together.
function largest(components) {
  const nodes = components.filter((node) => node.size > 0).sort((a, b) => b.size - a.size);
  if (nodes.length <= MAP_TILES) return nodes;
  const rest = nodes.slice(MAP_TILES);
  return nodes.slice(0, MAP_TILES).concat({ name: rest.length + " smaller", size: rest.reduce((sum, node) => sum + node.size, 0) });
}
const shortened = (name) => name.length > 28 ? name.slice(0, 12) + "…" : name;
function sizeMap(root, trail) {
  const shown = trail[trail.length - 1], box = element("div", { class: "map", role: "group", "aria-label": "Sizes as areas" });
  const place = (tiles, depth, colorOf, parents) => {
    for (const tile of tiles) {
      const path = parents.concat(tile.node), share = ((100 * tile.node.size) / root.size).toFixed(1);
      const size = humanSize(tile.node.size) + " (" + share + " %)";
      const color = colorOf(tile.node);
      box.append(element("button", {
        class: inner(tile.node) ? "inner" : null, title: tile.node.name + "\n" + size + ", " + tile.node.size + " bytes", "data-name": tile.node.name,
        "aria-label": tile.node.name + ", " + size + (inner(tile.node) ? ", opens" : ""),
        style: `left:${tile.x}%;top:${tile.y}%;width:${tile.width}%;height:${tile.height}%;background:${color}` + (depth ? ";opacity:.88" : ""),
        onclick: () => inner(tile.node) && go({ zoom: pathOf(path) }),
      }, tile.width > 4 && tile.height > 4 ? shortened(tile.node.name) + ": " + size : ""));
      if (depth < 1 && inner(tile.node) && tile.width > 6 && tile.height > 12) {
        const head = 6, area = { x: tile.x + .3, y: tile.y + head, width: tile.width - .6, height: tile.height - head - .6 };
        place(tilesOf(largest(tile.node.components), area), depth + 1, () => color, path);
      }
    }
  };
  const nodes = largest(inner(shown) ? shown.components : [shown]);
  const order = (trail.length > 1 ? shown : root).components || [];
  place(tilesOf(nodes, { x: 0, y: 0, width: 100, height: 100 }), 0,
        (node) => COLORS[Math.max(0, order.indexOf(node)) % COLORS.length], trail);
  return box;
}
function sizesSection(file) {
  const root = file.sizes, trail = trailTo(root, state().get("zoom"));
  const crumbs = element("div", { class: "trail" });
  trail.forEach((node, i) => {
    if (i > 0) crumbs.append(" › ");
    const name = (i === 0 ? "all" : node.name) + " " + humanSize(node.size);
    crumbs.append(i + 1 < trail.length
      ? element("button", { class: "link", onclick: () => go({ zoom: pathOf(trail.slice(0, i + 1)) }) }, name) : name);
  });
  return element("section", { id: "sizes" }, element("h2", {}, "Sizes"), crumbs, sizeMap(root, trail), sizeTable(root, trail));
}
const notesOf = (node) => [node.note, (node.aliases || []).length ? "also " + node.aliases.join(", ") : null].filter(Boolean).join("; ");
function sizeTable(root, trail) {
  const shown = trail[trail.length - 1], hasCompressed = "compressed_bytes" in root;
  const look = { name: "Component", head: "Size", text: (node) => humanSize(node.size), title: (node) => node.size + " bytes", find: "find components" };
  if (hasCompressed) look.more = ["Compressed", (node) => "compressed_bytes" in node ? humanSize(node.compressed_bytes) : ""];
  return treeTable(inner(shown) ? shown.components : [shown], shown.size, look);
}
// A tree with rows that open, or, once words are typed, all components whose names have them. `look` says how nodes and their
// sizes are called and shown; it may have `more`, the head and text of one more column, and open the first level.
function treeTable(nodes, whole, look) {
  const body = element("tbody");
  const cellsOf = (node) => [
    element("td", { class: "number", title: look.title(node) }, look.text(node)),
    look.more ? element("td", { class: "number" }, look.more[1](node)) : null,
    element("td", { class: "share" }, element("span", { class: "bar", style: `width:${whole > 0 ? (100 * node.size) / whole : 0}%` })),
  ];
  const rowOf = (node, depth, head) => element("tr", { "data-depth": depth },
    element("td", { style: `padding-left:${depth * 1.2}rem` }, head, notesOf(node) ? element("span", { class: "note" }, " " + notesOf(node)) : null),
    ...cellsOf(node));
  const addRows = (list, depth, before) => {
    for (const node of list) {
      const opener = inner(node) ? element("button", { class: "opener", "aria-expanded": "false" }, node.name) : null;
      const row = rowOf(node, depth, opener || element("span", { class: "leaf" }, node.name));
      if (opener) opener.addEventListener("click", () => toggle(row, opener, node, depth));
      body.insertBefore(row, before);
    }
  };
  const toggle = (row, opener, node, depth) => {
    const opens = opener.getAttribute("aria-expanded") === "false";
    opener.setAttribute("aria-expanded", String(opens));
    if (opens) return addRows(node.components, depth + 1, row.nextSibling);
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
      for (const one of node.components || []) visit(one, path.concat(node.name));
    };
    for (const node of nodes) visit(node, []);
  };
  search("");
  if (look.opens) body.querySelectorAll("button.opener").forEach((opener) => opener.click());
  const heads = [[look.name, ""], [look.head, "number"]].concat(look.more ? [[look.more[0], "number"]] : [], [["Share", ""]]);
  return element("div", {},
    element("input", { type: "search", placeholder: look.find, "aria-label": look.find, oninput: (event) => search(event.target.value.toLowerCase()) }),
    element("div", { class: "scroll" }, element("table", {}, element("thead", {},
      element("tr", {}, ...heads.map(([name, kind]) => element("th", { class: kind || null, scope: "col" }, name)))), body)));
}

// ---- Any view as a table ----
function cell(member, value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "number" && isSize(member)) return element("span", { title: value + " bytes" }, humanSize(value));
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) {
    if (value.length === 0) return "";
    if (value.every((one) => !isObject(one) && !Array.isArray(one))) return joined(value);
    return element("details", {}, element("summary", {}, value.length + (value.length === 1 ? " entry" : " entries")),
      value.every(isObject) ? plainTable(value) : JSON.stringify(value));
  }
  if (isObject(value)) return Object.entries(value).map(([name, one]) => titled(name) + ": " + (isObject(one) || Array.isArray(one) ? JSON.stringify(one) : one)).join(", ");
  return member === "severity" || member === "kind" && value === "error" ? element("span", { class: value }, value) : String(value);
}
// ["Add", "Add", "Mul"] as "2 × Add, Mul"; numbers as they are.
function joined(values) {
  if (values.some((value) => typeof value !== "string")) return values.join(",");
  const counts = new Map();
  for (const value of values) counts.set(value, (counts.get(value) || 0) + 1);
  return [...counts].map(([value, count]) => (count > 1 ? count + " × " : "") + value).join(", ");
}
function columnsOf(rows) {
  const columns = [];
  for (const row of rows) for (const member of Object.keys(row)) if (!columns.includes(member) && member !== "key_hex") columns.push(member);
  return columns;
}
function plainTable(rows) { return tableOf(rows, columnsOf(rows), rows.length); }
function tableOf(rows, columns, most, sort) {
  const isNumber = (member) => rows.every((row) => row[member] === null || row[member] === undefined || typeof row[member] === "number");
  const numbers = new Set(columns.filter(isNumber));
  const head = columns.map((member) => element("th", {
    class: numbers.has(member) ? "number" : null,
    scope: "col",
    "aria-sort": sort && sort.member === member ? (sort.descending ? "descending" : "ascending") : null,
  }, sort ? element("button", { onclick: () => sort.by(member, numbers.has(member)) }, titled(member)) : titled(member)));
  const body = rows.slice(0, most).map((row) => element("tr", {}, ...columns.map((member) =>
    element("td", { class: numbers.has(member) ? "number" : null }, cell(member, row[member])))));
  return element("div", { class: "scroll" }, element("table", {}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...body)));
}
function compare(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a ?? "").localeCompare(String(b ?? ""));
}
// A table with a filter, sorted by a click on a column, that shows its first rows until asked for all.
function searchableTable(rows, leftOut) {
  const columns = columnsOf(rows), box = element("div");
  let words = "", member = null, descending = false, most = ROWS_AT_FIRST;
  const texts = rows.map((row) => JSON.stringify(row).toLowerCase());
  const show = () => {
    let found = rows.filter((row, i) => texts[i].includes(words));
    if (member) found = [...found].sort((a, b) => (descending ? -1 : 1) * compare(a[member], b[member]));
    const by = (column, isNumber) => {
      descending = member === column ? !descending : isNumber;
      member = column;
      show();
    };
    const parts = [tableOf(found, columns, most, { member, descending, by })];
    if (found.length > most) parts.push(element("button", { class: "link", onclick: () => { most = found.length; show(); } }, `show all ${found.length} rows`));
    if (leftOut) parts.push(element("p", {}, `${leftOut} more rows are not in this page; --json has them`));
    box.replaceChildren(...parts);
  };
  show();
  const search = rows.length > 12 ? element("input", { type: "search", placeholder: "filter " + rows.length + " rows", "aria-label": "filter",
    oninput: (event) => { words = event.target.value.toLowerCase(); show(); } }) : null;
  return element("div", {}, search, box);
}

// ---- Views with a look of their own ----
// Each planned tensor as a rectangle: from its first to its last instruction, at its offset in the arena.
function memoryChart(method) {
  const known = method.tensors.filter((one) => one.first !== null && one.bytes);
  if (!method.has_lifetimes || known.length === 0) return null;
  const last = Math.max(...known.map((one) => one.last)) + 1, width = 1000, height = 260, left = 70, bottom = 24;
  const top = method.arenas.reduce((sum, bytes) => sum + bytes, 0) || 1;
  const start = method.arenas.map((_, i) => method.arenas.slice(0, i).reduce((sum, bytes) => sum + bytes, 0));
  const x = (instruction) => left + ((width - left) * instruction) / last;
  const y = (offset) => height - bottom - ((height - bottom) * offset) / top;
  const chart = svg("svg", { viewBox: `0 0 ${width} ${height}`, width: "100%", role: "img", "aria-label": "planned memory over the instructions" });
  known.forEach((one, i) => {
    const from = (start[one.arena - 1] || 0) + one.offset;
    chart.append(svg("rect", { class: "tensor", x: x(one.first), width: Math.max(1, x(one.last + 1) - x(one.first)),
      y: y(from + one.bytes), height: Math.max(.5, y(from) - y(from + one.bytes)), fill: COLORS[i % COLORS.length] },
      svg("title", {}, `value ${one.value}: ${humanSize(one.bytes)} at ${from}, instructions ${one.first} to ${one.last}`)));
  });
  chart.append(svg("text", { x: 0, y: 12 }, humanSize(top)), svg("text", { x: 0, y: height - bottom }, "0 B"),
    svg("text", { x: left, y: height - 6 }, "instruction 0"), svg("text", { x: width - 40, y: height - 6, "text-anchor": "end" }, String(last - 1)));
  return chart;
}
function memorySection(methods) {
  return methods.map((method) => element("div", {},
    element("p", {}, `${method.method}: ${humanSize(method.planned_bytes)} planned, ${humanSize(method.total_bytes)} with the file` +
      (method.scratch || []).map((one) => `, scratch of ${one.delegate} ${humanSize(one.bytes)}`).join("")),
    memoryChart(method), method.tensors.length ? searchableTable(method.tensors, method.tensors_left_out) : null));
}
function diffSection(diff) {
  const total = diff.new_bytes - diff.old_bytes;
  const rows = diff.sizes.map((row) => ({ ...row, growth_bytes: row.new_bytes - row.old_bytes }));
  const parts = [element("p", {}, `${[diff.old, ...(diff.old_data || [])].join(" + ")}: ${humanSize(diff.old_bytes)} to ${humanSize(diff.new_bytes)} `,
    element("span", { class: total > 0 ? "grew" : "shrank" }, `(${growth(total)})`))];
  for (const [name, list] of [["sizes", rows], ["methods", diff.methods], ["operators", diff.operators]]) {
    if (list.length) parts.push(searchableTable(list, diff[name + "_left_out"]));
  }
  return parts;
}
const LOOKS = { memory: memorySection, diff: diffSection };

// Texts, lists of objects and objects of such, however deep.
function anyView(member, value, leftOut) {
  if (LOOKS[member]) return LOOKS[member](value);
  if (typeof value === "string") return [element("pre", {}, value)];
  if (isTable(value)) return [searchableTable(value, leftOut)];
  if (Array.isArray(value)) return [element("p", {}, value.map(String).join(", "))];
  if (!isObject(value)) return [element("p", {}, String(value))];
  const plain = Object.entries(value).filter(([, one]) => !isTable(one) && typeof one !== "string" || typeof one === "string" && !one.includes("\n"));
  const parts = plain.filter(([name, one]) => !name.endsWith("_left_out") && !(Array.isArray(one) && one.length === 0));
  const list = parts.length ? [tableOf(parts.map(([name, one]) => ({ name: titled(name), value: isSize(name) && typeof one === "number" ? humanSize(one) : one })), ["name", "value"], parts.length)] : [];
  for (const [name, one] of Object.entries(value)) {
    if (isTable(one)) list.push(element("p", {}, titled(name)), searchableTable(one, value[name + "_left_out"]));
    if (typeof one === "string" && one.includes("\n")) list.push(element("pre", {}, one));
  }
  return list;
}
const isEmpty = (value) => value === null || Array.isArray(value) && value.length === 0 || isObject(value) && Object.keys(value).length === 0;

// ---- The page ----
const PLAIN = new Set(["schema_version", "file", "kind", "bytes", "sizes", "error", "profile"]);
function fileSections(file) {
  if (file.error) return [element("p", { class: "error" }, file.error.message)];
  const sections = file.sizes ? [sizesSection(file)] : [];
  if (file.profile) sections.push(...profileSections(file.profile));
  for (const [member, value] of Object.entries(file)) {
    if (PLAIN.has(member) || member.endsWith("_left_out") || isEmpty(value)) continue;
    sections.push(element("section", { id: member }, element("h2", {}, titled(member)), ...anyView(member, value, file[member + "_left_out"]).filter(Boolean)));
  }
  if (Array.isArray(file.findings) && file.findings.length === 0) sections.unshift(element("p", {}, "verified: no findings"));
  return sections;
}
const nameOf = (file) => file.file === null ? "across the files" : file.file;
function show() {
  const chosen = Math.min(Number(state().get("file")) || 0, report.length - 1), file = report[chosen];
  const kind = file.kind ? `${file.kind}, ${humanSize(file.bytes)} (${file.bytes} bytes)` : "";
  const tabs = report.length < 2 ? null : element("nav", { "aria-label": "files" }, ...report.map((one, i) => element("a", {
    href: "#", "aria-current": i === chosen ? "page" : null,
    onclick: (event) => { event.preventDefault(); go({ file: i ? String(i) : "", zoom: "", view: "" }); } }, nameOf(one))));
  const sections = fileSections(file);
  const view = state().get("view");
  const shown = sections.some((one) => one.id === view) ? sections.filter((one) => one.id === view) : sections;
  const index = element("nav", { "aria-label": "views" }, ...sections.filter((one) => one.id).map((one) => element("a", { href: "#view=" + one.id,
    "aria-current": one.id === view ? "true" : null,
    onclick: (event) => { event.preventDefault(); go({ view: state().get("view") === one.id ? "" : one.id }); } }, one.firstChild.textContent)));
  document.getElementById("top").replaceChildren(...[element("h1", {}, nameOf(file)), element("p", {}, kind), tabs, index].filter(Boolean));
  document.getElementById("page").replaceChildren(...shown);
  document.documentElement.dataset.shown = String(chosen);
}
window.addEventListener("hashchange", show);
show();
