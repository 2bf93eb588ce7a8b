// What an operator of a Vulkan graph computes and moves; see pteedit/operator_work.h.
#ifndef PTEEDIT_SRC_DELEGATES_VULKAN_WORK_H_
#define PTEEDIT_SRC_DELEGATES_VULKAN_WORK_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

#include "delegates/graph_reader.h"
#include "delegates/vulkan_schema.h"
#include "delegates/work_rules.h"

namespace pteedit {

// Of "aten.mm.default". Nothing where it is not known what the operator does.
std::optional<WorkRule> VulkanWorkRule(std::string_view name);

// Measures calls of one graph, which are all of the same values.
class VulkanWork {
 public:
  using Values = flatbuffers::Vector<flatbuffers::Offset<schema::vulkan::VkValue>>;
  // Both outlive it. From `unfolding` it takes what lists hold.
  VulkanWork(const Values& values, Unfolding& unfolding) : values_(values), unfolding_(unfolding) {}

  // Sizes are the largest that a run can have.
  OperatorWork Of(std::string_view name, const flatbuffers::Vector<int32_t>& args);

 private:
  const WorkValue& At(int32_t index);
  WorkValue Read(const schema::vulkan::VkValue& value);

  const Values& values_;
  Unfolding& unfolding_;
  std::map<int32_t, WorkValue> read_;  // by index
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_VULKAN_WORK_H_
