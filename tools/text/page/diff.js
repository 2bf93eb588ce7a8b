// What changed from one file to another: as areas, by component with subtotals, and whatever else differs as tables.
const SHRANK = COLORS[2], GREW = COLORS[1];
const changeClass = (bytes) => (bytes > 0 ? "grew" : bytes < 0 ? "shrank" : null);
const filesText = (first, more) => [first, ...(more || [])].join(" + ");

// [{ name, old_bytes, new_bytes, growth, rows }] of the components, the largest change first.
function changedComponents(diff) {
  const parts = new Map((diff.components || []).map((one) => [one.name, { ...one, rows: [] }]));
  const isWhole = parts.size > 0;  // else subtotals are those of the rows
  for (const row of diff.sizes || []) {
    if (!parts.has(row.component)) parts.set(row.component, { name: row.component, old_bytes: 0, new_bytes: 0, rows: [] });
    const part = parts.get(row.component);
    part.rows.push({ ...row, growth: row.new_bytes - row.old_bytes });
    if (!isWhole) { part.old_bytes += row.old_bytes; part.new_bytes += row.new_bytes; }
  }
  const all = [...parts.values()].map((one) => ({ ...one, growth: one.new_bytes - one.old_bytes }));
  for (const one of all) one.rows.sort((a, b) => Math.abs(b.growth) - Math.abs(a.growth));
  return all.sort((a, b) => Math.abs(b.growth) - Math.abs(a.growth));
}
function diffMap(parts) {
  const nodeOf = (row) => ({ name: row.name, module: row.module, size: Math.abs(row.growth), growth: row.growth, row });
  const components = parts.map((part) => {
    const inside = part.rows.filter((row) => row.growth !== 0).map(nodeOf);
    const size = inside.reduce((sum, one) => sum + one.size, 0);
    if (inside.length === 1 && inside[0].name === part.name) return inside[0];
    return { name: part.name, size, growth: part.growth, components: inside };
  }).filter((one) => one.size > 0);
  const root = { name: "Change", size: components.reduce((sum, one) => sum + one.size, 0), components };
  root.growth = parts.reduce((sum, one) => sum + one.growth, 0);
  if (root.size === 0) return null;
  const last = (trail) => trail[trail.length - 1];
  return areaMap({ root, state: "change", label: "Changes as areas", size: (trail) => growth(last(trail).growth ?? 0),
    color: (trail) => (trail.length === 1 ? GREY : last(trail).growth > 0 ? GREW : last(trail).growth < 0 ? SHRANK : GREY),
    panel: (trail) => {
      const node = last(trail), row = node.row || {};
      return [element("h3", {}, trail.length > 1 ? node.name : "All changes"), factList([
        ["Change", row.change], ["Component", row.component], ["Was", [row.old_component, row.old_name].filter(Boolean).join(" ")],
        ["Before", row.change && humanSize(row.old_bytes)], ["After", row.change && humanSize(row.new_bytes)],
        ["Growth", node.growth === undefined ? null : `${growth(node.growth)} (${node.growth} bytes)`],
        ["Type", [row.old_type, row.new_type].filter((one, i, all) => one && one !== all[i - 1]).join(" to ")],
        ["Of all changes", percent(node.size, root.size)]])];
    } });
}
// The rows of a component; those of one module below a row with their sums, the largest change first.
function rowsByModule(rows) {
  const sum = (node, member) => (node.row ? node.row[member] : node.components.reduce((total, one) => total + sum(one, member), 0));
  const rowsOf = (node, depth) => (node.row ? [{ ...node.row, depth }]
    : [{ name: node.name, depth, isModule: true, old_bytes: sum(node, "old_bytes"), new_bytes: sum(node, "new_bytes") }, ...node.components.flatMap((one) => rowsOf(one, depth + 1))]);
  const nodes = insideOf({ components: rows.map((row) => ({ name: row.name, module: row.module, size: 0, growth: row.growth, row })) });
  return [...nodes].sort((a, b) => Math.abs(b.growth) - Math.abs(a.growth)).flatMap((node) => rowsOf(node, 0));
}
// Components with their subtotals, which open; sums at the end.
function diffTable(parts, diff) {
  const most = Math.max(1, ...parts.map((one) => Math.abs(one.growth)));
  const body = element("tbody"), known = new Set(["component", "name", "old_bytes", "new_bytes", "growth", "change", "old_component", "old_name", "old_type", "new_type", "elements", "same_content", "module"]);
  const cellsOf = (before, after) => [
    element("td", { class: "number side", title: before + " bytes" }, humanSize(before)), element("td", { class: "number side", title: after + " bytes" }, humanSize(after)),
    element("td", { class: ["number", changeClass(after - before)].filter(Boolean).join(" "), title: after - before + " bytes" }, growth(after - before)),
    element("td", { class: "number" }, before > 0 ? (after > before ? "+" : "") + percent(after - before, before) : after > 0 ? "new" : ""),
    element("td", { class: "share" }, element("span", { class: `bar ${changeClass(after - before) || ""}`, style: `width:${Math.min(100, (100 * Math.abs(after - before)) / most)}%` })),
  ];
  const rowOf = (row) => {
    const was = [row.old_component, row.old_name].filter(Boolean).join(" ");
    const more = Object.entries(row).filter(([member, value]) => !known.has(member) && typeof value === "string").map(([, value]) => value);
    const types = [...new Set([row.old_type, row.new_type].filter(Boolean))].join(" > ");
    const elements = isObject(row.elements) ? `${row.elements.differing} of ${row.elements.count} ${row.elements.unit || "elements"} differ` : null;
    const note = [was && "was " + was, types, ...new Set(more), elements].filter(Boolean).join(", ");
    return element("tr", { class: row.isModule ? "module" : "row" }, element("td", {}, row.change),
      element("td", { style: `padding-left:${Math.min(row.depth, 12) * 1.2}rem` }, row.name, note ? element("span", { class: "note" }, " " + note) : null),
      ...cellsOf(row.old_bytes, row.new_bytes));
  };
  for (const part of parts) {
    const shown = [], rows = rowsByModule(part.rows), opener = part.rows.length ? element("button", { class: "opener", "aria-expanded": "false" }, part.name) : part.name;
    const head = element("tr", { class: "subtotal" }, element("td", { colspan: 2 }, opener, part.rows.length ? element("span", { class: "note" }, ` ${part.rows.length} change${part.rows.length === 1 ? "" : "s"}`) : null),
      ...cellsOf(part.old_bytes, part.new_bytes));
    const toggle = (count) => {
      const opens = shown.length === 0 || count > ROWS_AT_FIRST;
      shown.splice(0).forEach((one) => one.remove());
      opener.setAttribute("aria-expanded", String(opens));
      if (!opens) return;
      shown.push(...rows.slice(0, count).map(rowOf));
      if (rows.length > count) {
        shown.push(element("tr", {}, element("td", { colspan: 7 }, element("button", { class: "link", onclick: () => toggle(rows.length) }, `show all ${rows.length} rows`))));
      }
      head.after(...shown);
    };
    body.append(head);
    if (part.rows.length === 0) continue;
    opener.addEventListener("click", () => toggle(ROWS_AT_FIRST));
    toggle(ROWS_AT_FIRST);
  }
  const heads = [["Change"], ["Name"], ["Before", "number side"], ["After", "number side"], ["Growth", "number"], ["%", "number"]];
  return element("div", { class: "scroll" }, element("table", { class: "diff" }, element("thead", {}, element("tr", {},
    ...heads.map(([name, kind]) => element("th", { scope: "col", class: kind }, name)), element("td", { class: "share" }))), body,
    element("tfoot", {}, element("tr", { class: "subtotal" }, element("td", { colspan: 2 }, "In all, with padding"), ...cellsOf(diff.old_bytes, diff.new_bytes)))));
}
function diffSection(diff) {
  const total = diff.new_bytes - diff.old_bytes, parts = changedComponents(diff);
  const map = diffMap(parts), content = [
    element("p", {}, `${filesText(diff.old, diff.old_data)} to ${filesText(diff.new, diff.new_data)}: ${humanSize(diff.old_bytes)} to ${humanSize(diff.new_bytes)} `,
      element("span", { class: changeClass(total) }, `(${growth(total)}, ${total > 0 ? "+" : ""}${percent(total, diff.old_bytes)})`))];
  if (typeof diff.verdict === "string") content.push(element("p", { class: "verdict" }, diff.verdict));
  if (map) {
    const swatch = (color, text) => element("li", {}, element("span", { class: "swatch", style: `background:${color}` }), text);
    content.push(map, element("ul", { class: "legend" }, swatch(GREW, "grew"), swatch(SHRANK, "shrank")));
  }
  if (parts.length) content.push(diffTable(parts, diff));
  if (diff.sizes_left_out) content.push(element("p", {}, `${diff.sizes_left_out} more rows are not in this page; --json has them`));
  for (const [member, list] of Object.entries(diff)) {
    if (isTable(list) && member !== "sizes" && member !== "components") {
      content.push(element("h3", {}, titled(member)), searchableTable(list, diff[member + "_left_out"]));
    }
  }
  if (total === 0 && !(diff.sizes || []).length) content.push(element("p", {}, "no difference in sizes"));
  return content;
}
