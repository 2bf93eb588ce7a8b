// The page: sections of the file that is chosen, or the one view that the address asks for.
const PLAIN = new Set(["schema_version", "file", "kind", "bytes", "sizes", "error", "profile", "diff"]);
const across = report.length > 1 && report[report.length - 1].file === null && !report[report.length - 1].error ? report[report.length - 1] : null;
// What is across the files belongs to the file if there is only one; else it is a tab, the first where there is a diff.
const isOne = across !== null && report.length === 2;
const tabs = isOne ? report.slice(0, 1) : across && across.diff ? [across, ...report.slice(0, -1)] : report;

function memberSection(member, value, leftOut, marked) {
  const content = anyView(member, value, leftOut, marked).filter(Boolean);
  const section = element("section", { id: member }, element("h2", {}, titled(member)), ...content);
  const areas = content.filter((one) => one.update || one.draw || one.goOut);
  section.update = () => areas.forEach((one) => one.update && one.update());
  section.draw = () => areas.forEach((one) => one.draw && one.draw());
  section.goOut = () => areas.forEach((one) => one.goOut && one.goOut());
  return section;
}
function fileSections(file, view, find) {
  if (file.error) return [element("p", { class: "error" }, file.error.message)];
  const marked = (member) => (member === view ? find : null);
  const sections = isOne && across.diff ? [memberSection("diff", across.diff)] : file.diff ? [memberSection("diff", file.diff)] : [];
  if (file.sizes) sections.push(sizesSection(file, marked("sizes")));
  if (file.profile) sections.push(...profileSections(file.profile));
  const members = Object.entries(file).concat(isOne ? Object.entries(across) : []);
  for (const [member, value] of members) {
    if (PLAIN.has(member) || member.endsWith("_left_out") || isEmpty(value)) continue;
    sections.push(memberSection(member, value, file[member + "_left_out"], marked(member)));
  }
  if (Array.isArray(file.findings) && file.findings.length === 0) sections.unshift(element("p", {}, "verified: no findings"));
  return sections;
}
const nameOf = (file) => file.file === null ? "across the files" : file.file;
function chosenFile() {
  const number = Number(state().get("file"));
  return Number.isInteger(number) && number > 0 && number < tabs.length ? number : 0;
}
function headOf(chosen, sections, view) {
  const file = tabs[chosen], kind = file.kind ? `${file.kind}, ${humanSize(file.bytes)} (${file.bytes} bytes)` : "";
  const files = tabs.length < 2 ? null : element("nav", { "aria-label": "files" }, ...tabs.map((one, i) => element("a", {
    href: "#" + (i ? "file=" + i : ""), "aria-current": i === chosen ? "page" : null,
    onclick: (event) => { event.preventDefault(); go({ file: i ? String(i) : "", zoom: "", change: "", view: "", find: "" }); } }, nameOf(one))));
  const index = element("nav", { "aria-label": "views" }, ...sections.filter((one) => one.id).map((one) => element("a", { href: "#view=" + one.id,
    "aria-current": one.id === view ? "true" : null,
    onclick: (event) => { event.preventDefault(); go({ view: state().get("view") === one.id ? "" : one.id, find: "" }); } }, one.firstChild.textContent)));
  return [element("h1", {}, nameOf(file)), element("p", {}, kind), files, index].filter(Boolean);
}
let shown = [], shownAs = null;
const call = (step) => shown.forEach((one) => one[step] && one[step]());
function show() {
  const chosen = chosenFile(), view = state().get("view"), find = state().get("find");
  const as = JSON.stringify([chosen, view, find]);
  if (as !== shownAs) {
    const sections = fileSections(tabs[chosen], view, find);
    shown = sections.some((one) => one.id === view) ? sections.filter((one) => one.id === view) : sections;
    document.getElementById("top").replaceChildren(...headOf(chosen, sections, view));
    document.getElementById("page").replaceChildren(...shown);
    document.documentElement.dataset.shown = String(chosen);
    shownAs = as;
    call("draw");
  }
  call("update");
  const marked = find && document.querySelector("tr.marked");
  if (marked) marked.scrollIntoView({ block: "center" });
}
window.addEventListener("hashchange", show);
window.addEventListener("resize", () => call("draw"));
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !event.target.closest("input, select")) call("goOut");
});
show();
