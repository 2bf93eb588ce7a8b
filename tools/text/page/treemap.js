// A tree as areas: each component a button that tells what it is, and opens where something is inside.
const MAP_TILES = 400, MOST_TILES = 1500, LEAST_SIDE = 4, HEAD = 20, LABEL_MARGIN = 10;

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

// `look` has the root, the member of the state that says what is open (`state`), a label for screen readers, and functions of a trail:
// color, size (a text) and panel (its elements). The answer has update(), which shows what the state says and keeps the focus.
function areaMap(look) {
  const map = element("div", { class: "map", role: "group", "aria-label": look.label }), crumbs = element("div", { class: "trail" });
  const panel = element("aside", { class: "panel", "aria-live": "polite", "aria-label": "what it is" });
  const box = element("div", { class: "areas" }, crumbs, element("div", { class: "map-and-panel" }, map, panel));
  const trails = new WeakMap();  // of the buttons
  let trail = [look.root], told = null;
  const tell = (one) => {
    if (one !== told) panel.replaceChildren(...look.panel(one));
    told = one;
  };
  const open = (one) => go({ [look.state]: pathOf(one) });
  const tileOf = (way, { x, y, width, height }, depth, whole) => {
    const node = way[way.length - 1], size = look.size(way), opens = depth > 0 && inner(node);
    const label = fitted(labelOf(node, way[way.length - 2]) + ": " + size, width - LABEL_MARGIN) ;
    const share = (value, of) => `${(100 * value) / of}%`;
    const tile = element("button", { class: opens ? "inner" : null, "data-name": node.name, "data-depth": depth, "data-path": pathOf(way),
      "aria-label": `${node.name}, ${size}${opens ? ", opens" : ""}`,
      style: `left:${share(x, whole.width)};top:${share(y, whole.height)};width:${share(width, whole.width)};height:${share(height, whole.height)};background:${look.color(way)}` },
      height > 18 && label ? element("span", {}, label) : "");
    trails.set(tile, way);
    return tile;
  };
  const place = (way, area, depth, whole) => {
    map.append(tileOf(way, area, depth, whole));
    const node = way[way.length - 1];
    if (!inner(node) || area.width < 44 || area.height < 44 || map.children.length > MOST_TILES) return;
    const inside = { x: area.x + 3, y: area.y + HEAD, width: area.width - 6, height: area.height - HEAD - 3 };
    for (const tile of tilesOf(largest(insideOf(node)), inside)) {
      if (tile.width >= LEAST_SIDE && tile.height >= LEAST_SIDE) place(way.concat(tile.node), tile, depth + 1, whole);
    }
  };
  box.draw = () => {
    const whole = { width: map.clientWidth || 1000, height: map.clientHeight || 420 };
    map.replaceChildren();
    place(trail, { x: 0, y: 0, ...whole }, 0, whole);
  };
  const showTrail = () => crumbs.replaceChildren(...trail.flatMap((node, i) => {
    const name = (i === 0 ? "all" : labelOf(node, trail[i - 1])) + " " + look.size(trail.slice(0, i + 1));
    const crumb = i + 1 < trail.length ? element("button", { class: "link", onclick: () => open(trail.slice(0, i + 1)) }, name) : name;
    return i > 0 ? [" › ", crumb] : [crumb];
  }));
  box.update = () => {
    const focused = box.contains(document.activeElement) ? document.activeElement.dataset.path ?? pathOf(trail) : null;
    trail = trailTo(look.root, namesIn(look.state));
    showTrail();
    box.draw();
    const again = [...map.children].find((tile) => tile.dataset.path === focused) || map.firstChild;
    if (focused !== null) again.focus({ preventScroll: true });
    tell(focused !== null ? trails.get(again) : trail);
  };
  box.goOut = () => trail.length > 1 && open(trail.slice(0, -1));
  const of = (event) => trails.get(event.target.closest("button"));
  map.addEventListener("pointerover", (event) => of(event) && tell(of(event)));
  map.addEventListener("pointerleave", () => tell(trails.get(document.activeElement) || trail));
  map.addEventListener("focusin", (event) => of(event) && tell(of(event)));
  map.addEventListener("click", (event) => {
    const way = of(event);
    if (!way) return;
    tell(way);
    if (event.target.closest("button").classList.contains("inner")) open(way);
  });
  return box;
}
// Names and values, of which the empty ones are left out.
function factList(facts) {
  const rows = facts.filter(([, value]) => value !== null && value !== undefined && value !== "");
  return element("dl", {}, ...rows.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
}
function stateLink(text, changes) {
  return element("a", { href: "#" + new URLSearchParams(changes), onclick: (event) => { event.preventDefault(); go(changes); } }, text);
}
