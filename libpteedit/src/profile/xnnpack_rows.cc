#include "profile/xnnpack_rows.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace pteedit {
namespace {

// Kinds under other names in the graph than when logged; letters in lower case, without "static" and dimensions.
const std::multimap<std::string_view, std::string_view> kAliases = {
    {"averagepooling", "avgpooling"},   {"convolution", "conv"}, {"convolution", "depthwiseconv"},
    {"deconvolution", "convtranspose"}, {"divide", "div"},       {"fullyconnected", "conv"},  // of 1 x 1
    {"mean", "globalavgpooling"},
};

// Runtimes add operators of these kinds, or leave them out.
const std::set<std::string_view> kAdded = {"clamp", "convert", "copy", "transpose", "reshape", "multiply", "add"};

const std::set<std::string_view> kWeighted = {"convolution", "deconvolution", "fullyconnected"};
const std::set<std::string_view> kWeightedNodes = {"conv", "depthwiseconv", "convtranspose", "fullyconnected"};

struct Row {
  std::string kind;
  std::vector<std::string> types;  // "NC", "QS8", "QC8W"
};

std::string KindFrom(std::string_view name) {
  std::string kind;
  for (const char c : name) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0)
      kind += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) break;
  }
  return kind.starts_with("static") ? kind.substr(6) : kind;
}

Row ParseRow(std::string_view text) {
  const size_t open = text.find(" ("), close = text.find(')');
  Row row{KindFrom(text.substr(0, open)), {}};
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return row;
  std::string_view list = text.substr(open + 2, close - open - 2);
  while (!list.empty()) {
    const size_t end = std::min(list.find(", "), list.size());
    row.types.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 2, list.size()));
  }
  return row;
}

std::string KindOf(const XnnpackNodeFacts& node) {
  constexpr std::string_view kPrefix = "XNN";
  const std::string name = XnnpackOperatorName(node.type);
  return name.starts_with(kPrefix) ? KindFrom(std::string_view(name).substr(kPrefix.size())) : "";
}

bool IsOneOf(const std::vector<std::string>& types, std::initializer_list<std::string_view> names) {
  return std::any_of(types.begin(), types.end(), [&](const std::string& type) {
    return std::find(names.begin(), names.end(), type) != names.end();
  });
}

// Whether weights of the type are computed with by an operator of these types.
bool FitsFilter(const Row& row, XnnpackType filter) {
  switch (filter) {
    case XnnpackType::xnn_datatype_qcint4:
      return IsOneOf(row.types, {"QC4W", "QC4"});
    case XnnpackType::xnn_datatype_qbint4:
      return IsOneOf(row.types, {"QB4W"});
    case XnnpackType::xnn_datatype_qcint8:
      return IsOneOf(row.types, {"QC8W", "QC8"});
    case XnnpackType::xnn_datatype_qint8:
      return IsOneOf(row.types, {"QS8"});
    case XnnpackType::xnn_datatype_quint8:
      return IsOneOf(row.types, {"QU8"});
    case XnnpackType::xnn_datatype_fp32:
    case XnnpackType::xnn_datatype_fp16:
    case XnnpackType::xnn_datatype_bf16:
    case XnnpackType::xnn_datatype_pfp32:
      return std::none_of(row.types.begin(), row.types.end(),
                          [](const std::string& type) { return type.find('Q') != std::string::npos; });
    default:
      return true;
  }
}

// Inputs are quantized while running where the graph says so, and nowhere else.
bool FitsInputs(const Row& row, const XnnpackNodeFacts& node) {
  const auto is_dynamic = [](const std::string& type) { return type.starts_with("QD") || type.starts_with("QP"); };
  return std::any_of(row.types.begin(), row.types.end(), is_dynamic) ==
         (std::find(node.types.begin(), node.types.end(), XnnpackType::xnn_datatype_qdint8) != node.types.end());
}

class RowMatcher {
 public:
  RowMatcher(const std::vector<std::string>& rows, const std::vector<XnnpackNodeFacts>& nodes)
      : texts_(rows), nodes_(nodes) {
    for (const std::string& row : rows) rows_.push_back(ParseRow(row));
    for (const XnnpackNodeFacts& node : nodes) kinds_.push_back(KindOf(node));
    for (size_t i = 0; i < nodes.size(); ++i) weighted_nodes_ += kWeightedNodes.count(kinds_[i]);
    for (const Row& row : rows_) weighted_rows_ += kWeighted.count(row.kind);
  }

  XnnpackRowMatch Match() && {
    result_.nodes.resize(rows_.size());
    if (IsOpaque()) return std::move(result_);
    if (weighted_rows_ != weighted_nodes_) {
      result_.contradiction =
          Text("has ", weighted_nodes_, " layers with weights, ", weighted_rows_, " of such operators were logged");
      return std::move(result_);
    }
    MatchForwards();
    if (result_.contradiction.empty()) MatchBackwards();
    return std::move(result_);
  }

 private:
  // Some nodes become many operators.
  bool IsOpaque() const {
    return std::any_of(nodes_.begin(), nodes_.end(), [](const XnnpackNodeFacts& node) {
      return node.type == XnnpackOperator::NONE || node.type > XnnpackOperator::MAX ||
             node.type == XnnpackOperator::XNNScaledDotProductAttention;
    });
  }

  bool Fits(const Row& row, size_t node) const {
    const bool has_weights = kWeighted.count(row.kind) != 0;
    if (has_weights && !(FitsFilter(row, nodes_[node].filter) && FitsInputs(row, nodes_[node]))) return false;
    const auto aliases = kAliases.equal_range(row.kind);
    return kinds_[node] == row.kind ||
           std::any_of(aliases.first, aliases.second, [&](const auto& alias) { return alias.second == kinds_[node]; });
  }

  static bool IsKnown(const Row& row) {
    static const std::set<std::string> kKnown = [] {
      std::set<std::string> kinds;
      for (const XnnpackOperator type : schema::xnnpack::EnumValuesXNodeUnion()) {
        if (type != XnnpackOperator::NONE) kinds.insert(KindOf({type, 0, {}, {}, {}}));
      }
      return kinds;
    }();
    return kKnown.count(row.kind) != 0 || kAliases.count(row.kind) != 0;
  }

  void MatchForwards() {
    size_t next = 0;
    for (size_t i = 0; i < rows_.size(); ++i) {
      size_t node = next;
      while (node < nodes_.size() && !Fits(rows_[i], node)) ++node;
      if (node < nodes_.size()) {
        result_.nodes[i] = {node, node};
        next = node + 1;
      } else if (IsKnown(rows_[i]) && kAdded.count(rows_[i].kind) == 0) {
        result_.contradiction = Text("has no operator for ", Quoted(texts_[i]), ", which was logged");
        return;
      }
    }
  }

  void MatchBackwards() {
    size_t end = nodes_.size();
    for (size_t i = rows_.size(); i-- > 0;) {
      if (!result_.nodes[i]) continue;
      size_t node = end;
      while (node > result_.nodes[i]->first && !Fits(rows_[i], node - 1)) --node;
      if (node == 0) continue;
      result_.nodes[i]->last = std::max(result_.nodes[i]->first, node - 1);
      end = result_.nodes[i]->last;
    }
  }

  const std::vector<std::string>& texts_;
  const std::vector<XnnpackNodeFacts>& nodes_;
  std::vector<Row> rows_;
  std::vector<std::string> kinds_;  // of nodes
  size_t weighted_rows_ = 0, weighted_nodes_ = 0;
  XnnpackRowMatch result_;
};

}  // namespace

XnnpackRowMatch MatchXnnpackRows(const std::vector<std::string>& rows, const std::vector<XnnpackNodeFacts>& nodes) {
  return RowMatcher(rows, nodes).Match();
}

}  // namespace pteedit
