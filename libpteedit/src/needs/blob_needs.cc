#include "needs/blob_needs.h"

#include <algorithm>

#include "base/text.h"
#include "delegates/blob_reader.h"
#include "delegates/coreml.h"
#include "delegates/decoder.h"
#include "delegates/ethosu.h"
#include "delegates/mlx.h"
#include "delegates/vulkan.h"
#include "delegates/xnnpack.h"
#include "needs/release_tables.h"
#include "needs/releases.h"
#include "program/constants.h"
#include "program/container_state.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

// Numbers that are not in the table belong to no release so far.
void AddNumbered(std::span<const NumberInReleases> table, const std::set<int>& numbers, const char* what,
                 std::vector<RuntimeNeed>& needs) {
  for (const NumberInReleases& row : table) {
    if (numbers.count(row.number) != 0 && IsYounger(row.first, row.last))
      needs.push_back(NeedOf(row.first, row.last, Text(what, Quoted(row.name))));
  }
}

Result<std::vector<RuntimeNeed>> XnnpackNeeds(const BlobInput& input) {
  PTEEDIT_ASSIGN(const XnnpackForm form, ReadXnnpackForm(input));
  std::vector<RuntimeNeed> needs;
  AddNumbered(XnnpackNodes(), form.nodes, "XNNPACK node ", needs);
  AddNumbered(XnnpackDatatypes(), form.datatypes, "XNNPACK datatype ", needs);
  if (form.has_scale_constants) needs.push_back({"0.7", "XNNPACK scales among the constants"});
  if (form.has_keys) needs.push_back({"0.6", "XNNPACK constants with a key"});
  if (form.has_header) needs.push_back({"0.2", "XNNPACK blobs with a header"});
  return needs;
}

Result<std::vector<RuntimeNeed>> VulkanNeeds(const BlobInput& input) {
  PTEEDIT_ASSIGN(const VulkanForm form, ReadVulkanForm(input));
  std::vector<RuntimeNeed> needs;
  for (const std::string& name : form.operators) {
    const NameInReleases* row = FindReleasesOf(name, VulkanOperators());
    if (row != nullptr && IsYounger(row->first, row->last))
      needs.push_back(NeedOf(row->first, row->last, Text("Vulkan operator ", Quoted(name))));
  }
  if (form.has_keys) needs.push_back({"1.0", "Vulkan constants with a key"});
  if (form.has_wide_types) needs.push_back({"1.0", "Vulkan tensors of 64-bit numbers"});
  if (form.has_symbols) needs.push_back({"0.5", "Vulkan values that are symbolic integers"});
  if (form.has_node_ids) needs.push_back({"0.3", "Vulkan operators with an id"});
  if (!form.has_node_ids) needs.push_back(NeedOf({0, 1}, {0, 2}, "Vulkan operators without an id"));
  return needs;
}

Result<std::vector<RuntimeNeed>> MlxNeeds(const BlobInput& input) {
  PTEEDIT_ASSIGN(const std::set<int> nodes, ReadMlxNodes(input));
  std::vector<RuntimeNeed> needs;
  AddNumbered(MlxNodes(), nodes, "MLX node ", needs);
  return needs;
}

Result<std::vector<RuntimeNeed>> CoremlNeeds(const BlobInput& input) {
  PTEEDIT_ASSIGN(const bool is_reference, IsCoremlReference(input));
  if (!is_reference) return std::vector<RuntimeNeed>();
  return std::vector<RuntimeNeed>{{"1.2", "Core ML models under a key"}};
}

Result<std::vector<RuntimeNeed>> EthosUNeeds(const BlobInput& input) {
  PTEEDIT_ASSIGN(const bool has_keys, HasEthosUKeys(input));
  if (!has_keys) return std::vector<RuntimeNeed>();
  return std::vector<RuntimeNeed>{{"1.5", "Ethos-U blocks under a key"}};
}

// Before 1.4 the keys followed from the method's name and the blob was empty.
Result<std::vector<RuntimeNeed>> AotiNeeds(const BlobInput& input) {
  constexpr std::string_view kListMagic = "ETCUDAFQN";
  if (input.blob.size == 0) return std::vector<RuntimeNeed>();
  const Extent start{0, std::min<uint64_t>(input.blob.size, kListMagic.size())};
  PTEEDIT_ASSIGN(const BlobBytes head, ReadPart(input, start, start.size, "blob"));
  const std::string_view text(reinterpret_cast<const char*>(head.bytes.data), head.bytes.size);
  if (text == kListMagic) return std::vector<RuntimeNeed>{{"1.5", "AOTInductor weights with a key each"}};
  return std::vector<RuntimeNeed>{{"1.4", "AOTInductor blobs with keys"}};
}

struct BackendRow {
  std::string_view backend;
  RuntimeRelease first;
  RuntimeRelease last;  // of those that newer ones dropped, else 0.0
  Result<std::vector<RuntimeNeed>> (*look)(const BlobInput& input) = nullptr;
};

// The first release with the backend's runtime, by the names that sources of tags v0.1.0 to v1.4.0 and wheels of 1.5
// register. No release has one of TOSABackend.
constexpr BackendRow kBackends[] = {
    {kXnnpackBackend, {0, 1}, {}, XnnpackNeeds},
    {"VulkanBackend", {0, 1}, {}, VulkanNeeds},
    {"CoreMLBackend", {0, 1}, {}, CoremlNeeds},
    {"QnnBackend", {0, 1}, {}},
    {"MPSBackend", {0, 1}, {1, 4}},
    {"ArmBackend", {0, 1}, {0, 5}},
    {"NeuropilotBackend", {0, 4}, {}},
    {"EthosUBackend", {0, 6}, {}, EthosUNeeds},
    {"OpenvinoBackend", {0, 7}, {}},
    {"NeutronBackend", {1, 0}, {}},
    {"EnnBackend", {1, 0}, {}},
    {"VgfBackend", {1, 0}, {}},
    {"CudaBackend", {1, 1}, {}, AotiNeeds},
    {"MetalBackend", {1, 1}, {}, AotiNeeds},
    {"MLXBackend", {1, 3}, {}, MlxNeeds},
    {"NativeBackend", {1, 5}, {}},
    {"CoreAIBackend", {1, 5}, {}},
};

Result<std::vector<RuntimeNeed>> Look(const BackendRow& row, const BlobInput& input) {
  std::vector<RuntimeNeed> needs;
  if (row.look != nullptr) {
    Result<std::vector<RuntimeNeed>> seen = row.look(input);
    if (!seen && seen.error().code != ErrorCode::kUnsupported) return seen;
    if (seen) needs = *std::move(seen);
  }
  if (IsYounger(row.first, row.last)) needs.push_back(BackendNeed(row.backend));
  return needs;
}

}  // namespace

RuntimeNeed BackendNeed(std::string_view backend) {
  const auto* row = std::ranges::find(kBackends, backend, &BackendRow::backend);
  const std::string what = Text("backend ", backend);
  RuntimeNeed need =
      row == std::end(kBackends) ? RuntimeNeed{"", what + kInNoRelease} : NeedOf(row->first, row->last, what);
  need.kind = RuntimeNeed::Kind::kBackend;
  return need;
}

Result<std::vector<RuntimeNeed>> BlobNeeds::Of(const schema::BackendDelegate& delegate) {
  const auto* row = std::ranges::find(kBackends, ViewOf(delegate.id()), &BackendRow::backend);
  if (row == std::end(kBackends)) return std::vector<RuntimeNeed>();
  const Extent blob = BlobExtent(program_, delegate);
  const auto [place, is_new] = known_.try_emplace({row->backend, blob.offset, blob.size});
  if (is_new) {
    PTEEDIT_ASSIGN(place->second, Look(*row, {program_.source(), blob, {}, nullptr}));
  }
  return place->second;
}

}  // namespace pteedit
