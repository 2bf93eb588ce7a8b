// Any list of objects as a table that can be sorted and filtered.
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
  const columns = new Set();
  for (const row of rows) for (const member of Object.keys(row)) if (member !== "key_hex") columns.add(member);
  return [...columns];
}
function plainTable(rows) { return tableOf(rows, columnsOf(rows), rows.length); }
const isNamed = (row, name) => ["name", "key", "index"].some((member) => row[member] !== undefined && String(row[member]) === name);
function tableOf(rows, columns, most, sort, marked) {
  const isNumber = (member) => rows.every((row) => row[member] === null || row[member] === undefined || typeof row[member] === "number");
  const numbers = new Set(columns.filter(isNumber));
  const head = columns.map((member) => element("th", {
    class: numbers.has(member) ? "number" : null,
    scope: "col",
    "aria-sort": sort && sort.member === member ? (sort.descending ? "descending" : "ascending") : null,
  }, sort ? element("button", { onclick: () => sort.by(member, numbers.has(member)) }, titled(member)) : titled(member)));
  const body = rows.slice(0, most).map((row) => element("tr", { class: marked && isNamed(row, marked) ? "marked" : null }, ...columns.map((member) =>
    element("td", { class: numbers.has(member) ? "number" : null }, cell(member, row[member])))));
  return element("div", { class: "scroll" }, element("table", {}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...body)));
}
function compare(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a ?? "").localeCompare(String(b ?? ""));
}
// A table with a filter, sorted by a click on a column, that shows its first rows until asked for all. What is `marked`, a name or
// key, comes first.
function searchableTable(rows, leftOut, marked) {
  const columns = columnsOf(rows), box = element("div");
  let words = "", member = null, descending = false, most = ROWS_AT_FIRST, texts = null;
  const ordered = marked ? [...rows.filter((row) => isNamed(row, marked)), ...rows.filter((row) => !isNamed(row, marked))] : rows;
  const textOf = (i) => (texts = texts || ordered.map((row) => JSON.stringify(row).toLowerCase()))[i];
  const show = () => {
    let found = words ? ordered.filter((row, i) => textOf(i).includes(words)) : ordered;
    if (member) found = [...found].sort((a, b) => (descending ? -1 : 1) * compare(a[member], b[member]));
    const by = (column, isNumber) => {
      descending = member === column ? !descending : isNumber;
      member = column;
      show();
    };
    const focused = box.contains(document.activeElement) ? document.activeElement.textContent : null;
    const parts = [tableOf(found, columns, most, { member, descending, by }, marked)];
    if (found.length > most) parts.push(element("button", { class: "link", onclick: () => { most = found.length; show(); } }, `show all ${found.length} rows`));
    if (leftOut) parts.push(element("p", {}, `${leftOut} more rows are not in this page; --json has them`));
    box.replaceChildren(...parts);
    const again = focused && [...box.querySelectorAll("th button")].find((one) => one.textContent === focused);
    if (again) again.focus();
  };
  show();
  const search = rows.length > 12 ? element("input", { type: "search", placeholder: "filter " + rows.length + " rows", "aria-label": "filter",
    oninput: (event) => { words = event.target.value.toLowerCase(); show(); } }) : null;
  return element("div", {}, search, box);
}
