#include "pteedit/dtypes.h"
#include "text/format.h"
#include "text/reports.h"

namespace pteedit::cli {
namespace {

Json SignatureJson(const KernelSignature& signature) {
  Json object;
  object["kernel_key"] = KernelKey(signature);
  object["tensors"] = ListOf(signature, [](const auto& argument) {
    return Json({{"dtype", ScalarTypeName(argument->scalar_type)}, {"dim_order", argument->dim_order}});
  });
  return object;
}

Json NeededOperatorJson(const OperatorRequirement& op) {
  return {{"name", op.name}, {"calls", op.calls}, {"signatures", ListOf(op.signatures, SignatureJson)}};
}

Json BackendJson(const BackendRequirement& backend) {
  Json object;
  object["name"] = backend.backend;
  object["delegates"] = TextsOf(backend.delegates);
  object["targets"] = ListOf(backend.targets, [](const BlobFact& fact) {
    return Json({{"name", fact.name}, {"value", fact.value}});
  });
  object["compile_specs"] = ListOf(backend.compile_specs, CompileSpecJson);
  return object;
}

Json NeededKeyJson(const KeyRequirement& key) {
  Json object;
  object["key"] = key.key;
  object["users"] = TextsOf(key.users);
  object["bytes"] = key.bytes ? Json(*key.bytes) : Json();
  object["file"] = TextOrNull(key.file);
  if (key.binds) object["binds"] = true;
  return object;
}

}  // namespace

Json RequirementsJson(const Requirements& needs) {
  Json object;
  object["min_runtime"] = needs.min_runtime;
  object["runtime"] = ListOf(needs.runtime, [](const RuntimeNeed& need) {
    Json row = {{"release", need.release}, {"what", need.what}};
    if (!need.last.empty()) row["last"] = need.last;
    return row;
  });
  object["not_in_stock_libraries"] = TextsOf(needs.foreign_operators);
  object["data_files"] = needs.data_files;
  object["data"] = TextsOf(needs.data);
  object["memory_bytes"] = needs.memory_bytes == 0 ? Json() : Json(needs.memory_bytes);
  object["operators"] = ListOf(needs.operators, NeededOperatorJson);
  object["backends"] = ListOf(needs.backends, BackendJson);
  object["external_keys"] = ListOf(needs.external_keys, NeededKeyJson);
  return object;
}

}  // namespace pteedit::cli
