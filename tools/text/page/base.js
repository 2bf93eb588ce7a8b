"use strict";
// What all parts of the page use: the report, elements, numbers as text, and the state that the address holds.
const ROWS_AT_FIRST = 20;
const COLORS = ["#2f6db5", "#a84a28", "#2c7a4b", "#7a4fa3", "#7f6516", "#35707e", "#9c4068", "#56626f"];  // white can be read on each
const GREY = COLORS[7];
const ACRONYMS = { dtype: "Type", p10: "P10", sha256: "SHA-256", advise: "Advice" };
const report = JSON.parse(document.getElementById("report").textContent);

// ---- Elements ----
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

// ---- Texts ----
// As the tool prints sizes: powers of 1000 with two decimals.
function humanSize(bytes) {
  const size = Math.abs(bytes), sign = bytes < 0 ? "-" : "";
  for (const [unit, factor] of [["GB", 1e9], ["MB", 1e6], ["KB", 1e3]]) {
    if (size >= factor) return sign + (size / factor).toFixed(2) + " " + unit;
  }
  return sign + size + " B";
}
const growth = (bytes) => (bytes > 0 ? "+" : "") + humanSize(bytes);
const percent = (part, whole) => (whole > 0 ? ((100 * part) / whole).toFixed(1) : "0.0") + " %";
const titled = (member) =>
  ACRONYMS[member] || member.split("_").map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(" ");
const isSize = (member) => /(^|_)(bytes|size)$/.test(member) && !/header_size/.test(member);
function isObject(value) { return value !== null && typeof value === "object" && !Array.isArray(value); }
const isTable = (value) => Array.isArray(value) && value.length > 0 && value.every(isObject);
const isEmpty = (value) => value === null || Array.isArray(value) && value.length === 0 || isObject(value) && Object.keys(value).length === 0;

const pen = document.createElement("canvas").getContext("2d");
// The text where it is at most `width` pixels wide, else its beginning and "…" in whole letters; empty where that says nothing.
function fitted(text, width, size = 12) {
  pen.font = `${size}px system-ui, "DejaVu Sans", sans-serif`;
  if (pen.measureText(text).width <= width) return text;
  const letters = Array.from(text.slice(0, 200));
  let fits = 0, most = letters.length;
  while (fits < most) {
    const middle = Math.ceil((fits + most) / 2);
    if (pen.measureText(letters.slice(0, middle).join("") + "…").width <= width) fits = middle;
    else most = middle - 1;
  }
  return fits < 3 ? "" : letters.slice(0, fits).join("") + "…";
}

// ---- The state, which the address holds, so that a link shows the same ----
function state() { return new URLSearchParams(location.hash.slice(1)); }
function go(changes) {
  const next = state();
  for (const [name, value] of Object.entries(changes)) value ? next.set(name, value) : next.delete(name);
  location.hash = next.toString();
}
// The names of components from the root down; none where the address holds something else.
function namesIn(member) {
  try {
    const names = JSON.parse(state().get(member) || "[]");
    return Array.isArray(names) ? names : [];
  } catch {
    return [];
  }
}
