// The fields of an XNNPACK node by their names, whatever its kind. Names alike mean alike: those that end in "_id" name
// values, vectors have an element for each dimension.
#ifndef PTEEDIT_SRC_DELEGATES_XNNPACK_NODE_H_
#define PTEEDIT_SRC_DELEGATES_XNNPACK_NODE_H_

#include <optional>
#include <string_view>
#include <vector>

#include "delegates/xnnpack_types.h"

namespace pteedit {

class XnnpackNode {
 public:
  using List = flatbuffers::Vector<uint32_t>;

  // `node` is of a type that we know and has content.
  explicit XnnpackNode(const schema::xnnpack::XNode& node)
      : node_(node), fields_(static_cast<const flatbuffers::Table*>(node.xnode_union())) {
    const flatbuffers::TypeTable& types = *schema::xnnpack::XNodeUnionTypeTable();
    names_ = types.type_refs[types.type_codes[static_cast<size_t>(type())].sequence_ref]();
  }

  XnnpackOperator type() const { return node_.xnode_union_type(); }
  const schema::xnnpack::OutputMinMax* bounds() const { return node_.output_min_max(); }

  // 0 where there is no such field.
  uint32_t Number(std::string_view name) const {
    const auto slot = SlotOf(name);
    return slot ? fields_->GetField<uint32_t>(*slot, 0) : 0;
  }
  // Null where there is no such vector.
  const List* ListOf(std::string_view name) const {
    const auto slot = SlotOf(name);
    return slot ? fields_->GetPointer<const List*>(*slot) : nullptr;
  }
  bool Has(std::string_view name) const { return SlotOf(name).has_value(); }

  // Names of the fields that name values that the node uses: all concatenations share one table with five inputs.
  std::vector<std::string_view> ValueFields(uint32_t inputs) const {
    std::vector<std::string_view> found;
    for (size_t i = 0; i < names_->num_elems; ++i) {
      const std::string_view name = names_->names[i];
      const bool is_unused = inputs != 0 && name.starts_with("input") && static_cast<uint32_t>(name[5] - '0') > inputs;
      if (name.ends_with("_id") && !is_unused) found.push_back(name);
    }
    return found;
  }
  std::vector<std::string_view> ListFields() const {
    std::vector<std::string_view> found;
    for (size_t i = 0; i < names_->num_elems; ++i) {
      if (names_->type_codes[i].is_repeating) found.push_back(names_->names[i]);
    }
    return found;
  }

 private:
  std::optional<flatbuffers::voffset_t> SlotOf(std::string_view name) const {
    for (size_t i = 0; i < names_->num_elems; ++i) {
      if (names_->names[i] == name) return flatbuffers::FieldIndexToOffset(static_cast<flatbuffers::voffset_t>(i));
    }
    return std::nullopt;
  }

  const schema::xnnpack::XNode& node_;
  const flatbuffers::Table* fields_;
  const flatbuffers::TypeTable* names_ = nullptr;
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_XNNPACK_NODE_H_
