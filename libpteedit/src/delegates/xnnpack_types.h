// Element types and operators of XNNPACK graphs, and what is known of a value while its graph is read.
#ifndef PTEEDIT_SRC_DELEGATES_XNNPACK_TYPES_H_
#define PTEEDIT_SRC_DELEGATES_XNNPACK_TYPES_H_

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "delegates/xnnpack_schema.h"
#include "pteedit/finding.h"

namespace pteedit {

using XnnpackType = schema::xnnpack::XNNDatatype;
using XnnpackOperator = schema::xnnpack::XNodeUnion;

inline constexpr uint32_t kNoXnnpackValue = 0xFFFFFFFF;  // names no value, where a node or a graph may go without
inline constexpr uint32_t kMaxXnnpackDims = 6;

// "qint8", or "datatype 77".
std::string XnnpackTypeName(XnnpackType type);
std::string XnnpackOperatorName(XnnpackOperator type);

// A set of element types.
class XnnpackTypes {
 public:
  constexpr XnnpackTypes(std::initializer_list<XnnpackType> types) {
    for (const XnnpackType type : types) bits_ |= Bit(type);
  }
  constexpr bool Has(XnnpackType type) const { return (bits_ & Bit(type)) != 0; }

 private:
  static constexpr uint32_t Bit(XnnpackType type) {
    const auto number = static_cast<int>(type);
    return number < 0 || number > static_cast<int>(XnnpackType::MAX) ? 0 : uint32_t{1} << number;
  }
  uint32_t bits_ = 0;
};

// Of a dense tensor; two 4-bit numbers share a byte, but rows do not. 0 for a type that is not stored, nothing where
// they are too many to count.
std::optional<uint64_t> XnnpackBytesOf(XnnpackType type, const std::vector<uint64_t>& sizes);

struct XnnpackValue {
  XnnpackType type = XnnpackType::xnn_datatype_invalid;
  std::vector<uint64_t> sizes;
  bool is_constant = false;
  bool is_input = false, is_output = false;  // of the graph
  bool is_sound = true;                      // nothing was found wrong with its type and dimensions
  bool is_known = false;                     // constant, input of the graph, or written by an operator so far
  float scale = 0;                           // where there is one for the whole tensor
  int32_t zero_point = 0;
  int32_t channel_dim = 0, group_size = 0;  // where there are several
};
using XnnpackValues = std::map<uint32_t, XnnpackValue>;  // by id

// Gathers what is wrong with a graph, up to a number beyond which more would say nothing new.
class XnnpackProblems {
 public:
  void Add(const char* id, const std::string& where, std::string message, Severity severity = Severity::kError) {
    if (found_.size() < kMaxProblems) found_.push_back({id, severity, where, std::move(message)});
  }
  size_t count() const { return found_.size(); }
  std::vector<Finding> Take() && { return std::move(found_); }

 private:
  static constexpr size_t kMaxProblems = 100;
  std::vector<Finding> found_;
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_XNNPACK_TYPES_H_
