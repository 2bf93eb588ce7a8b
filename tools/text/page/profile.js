// What a page shows of a dump: a timeline, the modules, and where the time and the bytes went.
const LANE_HEIGHT = 22, TIMELINE_WIDTH = 1000;
const PER_SECOND = { ns: 1e9, us: 1e6, ms: 1e3, s: 1, cycles: 1 };
const NOT_WORK = ["OPERATOR_CALL", "Method::execute", "Method::init", "Program::load_method"];
const CATEGORY_COLORS = { kernel: 0, delegate: 1, call: 7, inside: 4, runtime: 5 };
const timeText = (time, scale) => `${Number(time.toPrecision(4))} ${scale}`;

// ---- The timeline ----
function categoryOf(event) {
  if (event.is_delegated_op) return "inside";
  if (event.name === "DELEGATE_CALL") return "delegate";
  if (event.name === "OPERATOR_CALL") return "call";
  return event.name.startsWith("native_call_") ? "kernel" : "runtime";
}
const spanOf = (slices) => ({
  start: slices.reduce((least, one) => Math.min(least, one.start), Infinity),
  end: slices.reduce((most, one) => Math.max(most, one.end), -Infinity),
});
// Delegates may have clocks of their own: what one logged wholly outside of its call is moved to the call's start, or the run's
// where no call was logged.
function placeInCalls(slices) {
  const calls = new Map(), inside = new Map(), run = spanOf(slices.filter((one) => !one.event.is_delegated_op));
  for (const one of slices) if (one.event.name === "DELEGATE_CALL") calls.set(one.event.instruction_id, one);
  for (const one of slices.filter((row) => row.event.is_delegated_op)) {
    const call = calls.get(one.event.instruction_id) || run;
    if (!inside.has(call)) inside.set(call, []);
    inside.get(call).push(one);
  }
  for (const [call, rows] of inside) {
    const { start, end } = spanOf(rows);
    if (call.start > call.end || start <= call.end && end >= call.start) continue;
    for (const one of rows) one.start += call.start - start, one.end += call.start - start;
  }
}
// The events of a run as { event, start, end }, in the target scale from the first on. Until then in that of the dump, whose
// numbers are whole, so that what ends where another begins does so exactly.
function slicesOf(block, run) {
  const factor = PER_SECOND[block.source_time_scale] / PER_SECOND[block.target_time_scale];
  const timed = block.events.filter((event) => event.perf && event.start_time[run] !== undefined);
  // A clock of 32 bits that wrapped in between goes on.
  const ofRuntime = timed.filter((event) => !event.is_delegated_op);
  const starts = (ofRuntime.length ? ofRuntime : timed).map((event) => event.start_time[run]), most = Math.max(...starts);
  const wraps = most < 2 ** 32 && most - Math.min(...starts) > 2 ** 31;
  const startOf = (event) => event.start_time[run] + (wraps && event.start_time[run] < 2 ** 31 ? 2 ** 32 - 1 : 0);
  const slices = timed.map((event) => ({ event, start: startOf(event), end: startOf(event) + Math.round(event.perf.raw[run] * factor) }));
  placeInCalls(slices);
  const first = spanOf(slices).start;
  for (const one of slices) one.start = (one.start - first) / factor, one.end = (one.end - first) / factor;
  // Operators of a delegate follow each other, also those too short to be measured.
  const isShort = (one) => one.event.is_delegated_op && one.start === one.end;
  return slices.sort((a, b) => a.start - b.start || isShort(b) - isShort(a) || b.end - a.end);
}
// Each slice gets a lane: below what it is inside of, or the first that is free.
function lanesOf(slices) {
  const open = [];
  let lanes = 0;
  for (const one of slices) {
    let lane = 0;
    while (lane < open.length && open[lane] > one.start) ++lane;
    if (one.event.is_delegated_op) while (lane < 2) ++lane;
    one.lane = lane;
    open[lane] = one.end;
    open.length = lane + 1;
    lanes = Math.max(lanes, lane + 1);
  }
  return lanes;
}
function timelineChart(block, run, range, zoom) {
  const slices = slicesOf(block, run), lanes = lanesOf(slices), scale = block.target_time_scale;
  const whole = spanOf(slices).end || 1;
  const [from, to] = range || [0, whole], x = (time) => (TIMELINE_WIDTH * (time - from)) / (to - from);
  const height = lanes * LANE_HEIGHT + 18;
  const chart = svg("svg", { viewBox: `0 0 ${TIMELINE_WIDTH} ${height}`, width: "100%", role: "img", class: "timeline",
    "aria-label": `timeline of ${slices.length} events in ${timeText(to - from, scale)}` });
  for (const one of slices) {
    const left = Math.max(0, x(one.start)), right = Math.min(TIMELINE_WIDTH, x(one.end));
    if (right < 0 || left > TIMELINE_WIDTH) continue;
    const width = Math.max(.75, right - left), label = `${one.event.name}: ${timeText(one.event.perf.raw[run], scale)}`;
    const types = one.event.op_types.length ? "\n" + one.event.op_types.join(", ") : "";
    const box = svg("g", { class: "slice", tabindex: "0", role: "button", "aria-label": label, "data-name": one.event.name },
      svg("title", {}, `${label}, from ${timeText(one.start, scale)}${types}`),
      svg("rect", { x: left, y: one.lane * LANE_HEIGHT, width, height: LANE_HEIGHT - 2, fill: COLORS[CATEGORY_COLORS[categoryOf(one.event)]] }));
    const name = fitted(one.event.name, width - 6);
    if (name) box.append(svg("text", { x: left + 3, y: one.lane * LANE_HEIGHT + 14, class: "inside" }, name));
    const open = () => one.end > one.start && zoom([one.start, one.end]);
    box.addEventListener("click", open);
    box.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); open(); } });
    chart.append(box);
  }
  chart.append(svg("text", { x: 0, y: height - 4 }, timeText(from, scale)),
    svg("text", { x: TIMELINE_WIDTH, y: height - 4, "text-anchor": "end" }, timeText(to, scale)));
  return chart;
}
const blockName = (block) => block.name + (block.methods.length ? " of " + block.methods.join(" or ") : "");
function timelineSection(blocks) {
  const timed = blocks.filter((block) => block.events.some((event) => event.perf));
  if (timed.length === 0) return null;
  const runs = timed.flatMap((block) => block.events.find((event) => event.perf).perf.raw.map((_, run) => ({ block, run })));
  const first = Math.max(0, runs.findIndex((one) => one.block.name === "Execute"));
  const box = element("div"), choice = element("select", { "aria-label": "run", onchange: () => show(null) },
    ...runs.map(({ block, run }, i) => element("option", { value: i, selected: i === first }, `${blockName(block)}, run ${run + 1}`)));
  const show = (range) => {
    const { block, run } = runs[Number(choice.value)];
    const parts = [timelineChart(block, run, range, show)];
    if (range) parts.unshift(element("button", { class: "link", onclick: () => show(null) }, "whole run"));
    box.replaceChildren(...parts);
  };
  show(null);
  return element("section", { id: "timeline" }, element("h2", {}, "Timeline"), choice, box,
    element("p", { class: "note" }, "A slice that is clicked fills the width. What a delegate logged of its own is below its call."));
}

// ---- The modules ----
// A tree of { name, path, size, mean, components }: the median time, and the mean, of all events that stand for an operator of a module.
function modulesOf(blocks) {
  const root = { name: "(model)", path: "", size: 0, mean: 0, components: [] }, nodes = new Map([["", root]]);
  const nodeAt = (path) => {
    if (nodes.has(path)) return nodes.get(path);
    const cut = path.lastIndexOf("."), parent = nodeAt(cut < 0 ? "" : path.slice(0, cut));
    const node = { name: path.slice(cut + 1), path, size: 0, mean: 0, components: [] };
    parent.components.push(node);
    nodes.set(path, node);
    return node;
  };
  for (const block of blocks) {
    for (const event of block.events) {
      if (!event.perf || NOT_WORK.includes(event.name)) continue;
      const paths = new Set();
      for (const levels of Object.values(event.module_hierarchy)) {
        for (const [path, type] of Object.values(levels || {})) {
          paths.add(path);
          nodeAt(path).note = type.split(".").pop();
        }
      }
      const inside = new Set();  // of these and of all around them
      for (let path of paths) {
        for (; path; path = path.slice(0, Math.max(0, path.lastIndexOf(".")))) inside.add(path);
        inside.add("");
      }
      for (const path of inside) {
        nodeAt(path).size += event.perf.p50;
        nodeAt(path).mean += event.perf.avg;
      }
    }
  }
  const sort = (node) => { node.components.sort((a, b) => b.size - a.size); node.components.forEach(sort); };
  sort(root);
  return root;
}
function modulesSection(blocks) {
  const root = modulesOf(blocks);
  if (root.size === 0) return null;
  const scale = blocks[0].target_time_scale;
  return element("section", { id: "modules" }, element("h2", {}, "Modules"),
    treeTable([root], root.size, { name: "Module", head: "Time", opens: true, text: (node) => timeText(node.size, scale),
      title: (node) => `${node.path || "all modules"}: mean ${timeText(node.mean, scale)}`, find: "find modules" }),
    element("p", { class: "note" }, "Medians of the times of events that stand for an operator of the module. What stands for operators of several modules counts for each."));
}

// ---- Tables ----
const rounded = (time) => Number(time.toPrecision(6));
function costRows(blocks, list, member) {
  return blocks.flatMap((block) => {
    const share = (time) => block.time > 0 ? `${((100 * time) / block.time).toFixed(1)} %` : "";
    const rows = block[list].map(({ share: _, is_in_delegate, ...row }) => {
      const cells = { block: blockName(block), ...row, time: rounded(row.time), share: share(row.time) };
      if (is_in_delegate) cells[member] = "- " + cells[member];
      return cells;
    });
    const sums = [["(calling of kernels)", block.overhead_time], ["(rest of Method::execute)", block.rest_time], ["(all)", block.time]];
    for (const [name, time] of sums) {
      if (time > 0) rows.push({ block: blockName(block), [member]: name, time: rounded(time), share: share(time), ...(name === "(all)" ? { stored_bytes: block.stored_bytes } : {}) });
    }
    return rows;
  });
}
// What was logged, where there is a debug buffer.
function valueRows(blocks) {
  const rows = [];
  const add = (block, event, values) => (values || []).forEach((value, index) => {
    const { min, max, mean, nans, infinities } = (isObject(value) && value.statistics) || {};
    const type = isObject(value) && value.dtype ? `${value.dtype}[${value.shape.join(",")}]` : "";
    if (type && value.sha256 !== null || !type && value !== null) rows.push({ block: blockName(block), event, index, type, value: type ? value.values : value, min, mean, max, nans, infinities });
  });
  for (const block of blocks) {
    for (const event of block.events) add(block, event.name, event.debug_data);
    add(block, "(output)", block.run_output);
    add(block, "(output that the record expects)", block.reference_output);
  }
  return rows;
}
function eventRows(blocks) {
  return blocks.flatMap((block) => block.events.filter((event) => event.perf).map((event) => {
    const row = { block: blockName(block), event: event.name };
    for (const name of ["p10", "p50", "p90", "avg", "min", "max"]) row[name] = rounded(event.perf[name]);
    return { ...row, types: event.op_types, backend: event.delegate_backend_name };
  }));
}
function profileSections(profile) {
  const blocks = profile.event_blocks;
  if (blocks.length === 0) return [];
  const scale = blocks[0].target_time_scale, sections = [timelineSection(blocks), modulesSection(blocks)];
  const add = (id, title, rows) => {
    if (rows.length) sections.push(element("section", { id }, element("h2", {}, title), element("p", { class: "note" }, `Times in ${scale}.`), searchableTable(rows)));
  };
  add("by_type", "Time by Type", costRows(profile.by_type, "types", "type"));
  add("by_operator", "Time by Operator", costRows(profile.by_operator, "operators", "name"));
  add("events", "Events", eventRows(blocks));
  const values = valueRows(blocks);
  if (values.length) sections.push(element("section", { id: "values" }, element("h2", {}, "Values"), searchableTable(values)));
  return sections.filter(Boolean);
}
