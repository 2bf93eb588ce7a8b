// Holds the nodes of an XNNPACK graph against its values and against what runtimes ask of each kind of node.
#ifndef PTEEDIT_SRC_DELEGATES_XNNPACK_OPERATORS_H_
#define PTEEDIT_SRC_DELEGATES_XNNPACK_OPERATORS_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "delegates/xnnpack_node.h"
#include "delegates/xnnpack_rules.h"
#include "delegates/xnnpack_types.h"

namespace pteedit {

// A node and the values that it names.
struct XnnpackUse {
  const XnnpackNode& node;
  const XnnpackRule& rule;
  const std::string& where;
  std::vector<std::pair<std::string_view, const XnnpackValue*>> values;  // by the fields that name them, none null

  // Null where the node names none there.
  const XnnpackValue* Of(std::string_view field) const;
  const XnnpackValue* Input() const;
  const XnnpackValue* Filter() const;  // or second matrix
  const XnnpackValue* Output() const;
};

// Sizes of a node's values and lists against each other.
void CheckXnnpackShapes(const XnnpackUse& use, XnnpackProblems& problems);

class XnnpackOperators {
 public:
  XnnpackOperators(XnnpackValues& values, XnnpackProblems& problems) : values_(values), problems_(problems) {}

  // In the order of the graph; notes which values are written.
  void Check(const schema::xnnpack::XNode& node, const std::string& where);

  // Whether there was a node that we do not know, and that may have written anything.
  bool has_unknown() const { return has_unknown_; }

 private:
  void CheckRow(const XnnpackNode& node, const XnnpackRule& rule, bool has_lists, const std::string& where);
  XnnpackValue* FindValue(std::string_view field, uint32_t id, const std::string& where);
  bool CheckLists(const XnnpackNode& node, const std::string& where);
  void CheckNumbers(const XnnpackUse& use);
  void CheckBounds(const XnnpackUse& use);
  void CheckTypes(const XnnpackUse& use);
  void CheckConstants(const XnnpackUse& use);
  void CheckQuantization(const XnnpackUse& use);
  void CheckRequantization(const XnnpackUse& use);

  XnnpackValues& values_;
  XnnpackProblems& problems_;
  bool has_unknown_ = false;
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_XNNPACK_OPERATORS_H_
