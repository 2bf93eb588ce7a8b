// What the other views tell of a component of the size tree: its type, who uses it, its hash, and in which list it stands.
const KIND_OF = { "Constant Tensors": "constant", "Mutable Tensors": "mutable", "Delegate Blobs": "delegate", "Named Data": "key", Tensors: "key" };
const STORES = { segment: "constant", inline: "constant", mutable: "mutable", external: "key" };
const MOST_USERS = 50;

// Of a file: what() takes the way from the root to a component.
function factsOf(file) {
  const known = new Map();
  const at = (kind, name) => {
    const id = kind + "\n" + name;
    if (!known.has(id)) known.set(id, { users: new Set() });
    return known.get(id);
  };
  const give = (facts, members) => {
    for (const [member, value] of Object.entries(members)) if (value !== null && value !== undefined && facts[member] === undefined) facts[member] = value;
  };
  const isData = file.kind === "ptd", values = new Map();
  for (const one of file.tensors || []) {
    if (one.name === null) continue;
    const kind = isData ? "key" : STORES[one.store];
    if (!kind) continue;
    const facts = at(kind, kind === "key" && one.key ? one.key : one.name);
    give(facts, { type: one.dtype, sizes: one.sizes, view: "tensors", row: one.name });
    if (one.method !== null && one.value !== null) values.set(one.method + "\n" + one.value, facts);
  }
  for (const one of file.named_data || []) give(at("key", one.key), { type: one.dtype, sizes: one.sizes, view: "named_data", row: one.key, sharers: one.sharers });
  for (const one of file.delegates || []) {
    give(at("delegate", one.name), { backend: one.backend, method: one.method, operators: (one.operators || []).length, segment: one.segment, view: "delegates", row: one.name });
    at("delegate", one.name).users.add(one.method);
    for (const key of one.keys || []) {
      give(at("key", key.key), { backend: one.backend });
      at("key", key.key).users.add(one.name);
    }
    for (const constant of one.constants || []) if (constant.key) give(at("key", constant.key), { type: constant.common_dtype, sizes: constant.sizes });
  }
  for (const call of file.instructions || []) {
    for (const value of call.values || []) {
      const facts = values.get(call.method + "\n" + value);
      if (facts && facts.users.size < MOST_USERS) facts.users.add(`${call.target || call.kind} (${call.method})`);
    }
  }
  for (const one of file.hash || []) if (one.name !== null && one.what !== "segment") give(at(one.what, one.name), { hash: one.hash });
  const kindOf = (trail) => trail.map((node) => KIND_OF[node.name]).find(Boolean);
  return {
    what: (trail) => known.get(kindOf(trail) + "\n" + trail[trail.length - 1].name) || {},
    kindOf,
    // Of what is inside a delegate, its backend too.
    backend: (trail) => trail.map((node) => (known.get("delegate\n" + node.name) || {}).backend).find(Boolean),
  };
}

// ---- What colors can mean ----
function quantization(type) {
  if (!type) return null;
  const bits = Number((/(\d+)/.exec(type) || [0, 0])[1]);
  if (/^b?float/.test(type) && bits > 8) return `floats of ${bits} bits`;
  return bits > 0 && bits <= 8 ? `${bits} bits` : "other";
}
// By name, what a tile's color stands for: null where a component holds several or nothing is known.
const MEANINGS = {
  component: (trail) => (trail[1] || trail[0]).name,
  type: (trail, facts) => trail[trail.length - 1].dtype || facts.what(trail).type || null,
  quantization: (trail, facts) => quantization(MEANINGS.type(trail, facts)),
  backend: (trail, facts) => facts.backend(trail) || facts.what(trail).backend || (facts.kindOf(trail) === "constant" && facts.what(trail).view ? "portable kernels" : null),
};
