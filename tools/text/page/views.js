// Views with a look of their own, and the look of any other.
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
// A command as a shell takes it.
const shellWord = (word) => (/^[\w./+,=@%:-]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'");
function adviceSection(list) {
  return [element("ul", { class: "cards" }, ...list.map((one) => element("li", {},
    element("p", {}, element("b", {}, one.saved_bytes ? `saves ${humanSize(one.saved_bytes)}` : `takes ${humanSize(one.bytes)}`), " " + one.message),
    one.command ? element("pre", {}, one.command.map(shellWord).join(" ")) : null)))];
}
function findingsSection(list, leftOut) {
  const counts = ["error", "warning"].map((kind) => [kind, list.filter((one) => one.severity === kind).length]).filter(([, count]) => count);
  return [element("p", {}, ...counts.flatMap(([kind, count], i) => [i ? ", " : "", element("span", { class: kind }, `${count} ${kind}${count === 1 ? "" : "s"}`)])),
    searchableTable(list, leftOut)];
}
function duplicatesSection(duplicates) {
  const rows = (duplicates.groups || []).map((one) => ({ saved_bytes: one.saved_bytes, bytes: one.bytes, copies: one.copies.length,
    what: joined(one.copies.map((copy) => copy.what)), names: joined(one.copies.map((copy) => copy.name)), files: joined([...new Set(one.copies.map((copy) => copy.file))]) }));
  if (rows.length === 0) return [element("p", {}, "no equal contents")];
  return [element("p", {}, `Storing each once would save ${humanSize(duplicates.saved_bytes)}.`), searchableTable(rows, duplicates.groups_left_out)];
}
const LOOKS = { memory: memorySection, diff: diffSection, graph: graphSection, advise: adviceSection, findings: findingsSection, duplicates: duplicatesSection };

// Texts, lists of objects and objects of such, however deep.
function anyView(member, value, leftOut, marked) {
  if (LOOKS[member]) return LOOKS[member](value, leftOut, marked);
  if (typeof value === "string") return [element("pre", {}, value)];
  if (isTable(value)) return [searchableTable(value, leftOut, marked)];
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
