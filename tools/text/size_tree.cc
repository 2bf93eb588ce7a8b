#include "text/size_tree.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "pteedit/near_matches.h"
#include "pteedit/text.h"
#include "text/format.h"
#include "text/table.h"
#include "text/width.h"

namespace pteedit::cli {
namespace {

constexpr size_t kNearMatches = 3;

class TreeText {
 public:
  TreeText(const std::vector<const SizeNode*>& open, const Style& style)
      : open_(open.begin(), open.end()), style_(style) {}

  std::string List(const SizeNode& root) {
    if (!open_.empty()) MarkWays(root);
    for (const SizeNode& component : root.components) Append(component, 0, /*is_inside=*/false);
    return std::move(out_);
  }

  std::string Component(const SizeNode& component) {
    Append(component, 0, /*is_inside=*/false);
    return std::move(out_);
  }

 private:
  // Whether an open node is `node` or below it.
  bool MarkWays(const SizeNode& node) {
    bool is_way = false;
    for (const SizeNode& component : node.components) is_way = MarkWays(component) || is_way;
    if (is_way) ways_.insert(&node);
    return is_way || open_.count(&node) != 0;
  }

  // `is_inside` what is open.
  void Append(const SizeNode& node, size_t level, bool is_inside) {
    AppendLine(level, NameText(node.name, node.more->aliases), node.size, CompressedText(node), node.more->note);
    const bool is_open = open_.count(&node) != 0 || (is_inside && node.is_group);
    if (!is_open && ways_.count(&node) == 0) return;
    for (const SizeNode& component : node.components) {
      const bool leads_on = open_.count(&component) != 0 || ways_.count(&component) != 0;
      if (is_open || leads_on) Append(component, level + 1, is_open);
    }
    if (is_open) AppendReferences(node, level + 1);
  }

  void AppendReferences(const SizeNode& node, size_t level) {
    if (node.more->refers_to.empty()) return;
    out_ += style_.format == Format::kMarkdown ? "| refers to: | |" + std::string(style_.compressed ? " |\n" : "\n")
                                               : std::string(level, ' ') + "refers to:\n";
    for (const SizeNode::Reference& reference : node.more->refers_to) {
      const std::string name =
          reference.name->empty() ? EscapeControl(reference.key) : NameText(*reference.name, {reference.key});
      AppendLine(level + 1, name, reference.bytes, {}, {});
    }
  }

  std::string CompressedText(const SizeNode& node) const {
    const SizeNode::Compressed& compressed = *node.compressed;
    if (!compressed.size) return {};
    return style_.Size(*compressed.size) +
           (compressed.planes_size ? ", in planes " + style_.Size(*compressed.planes_size) : "");
  }

  void AppendLine(size_t level, const std::string& name, uint64_t bytes, const std::string& compressed,
                  const std::string& note) {
    if (style_.format == Format::kMarkdown) return AppendRow(level, name, bytes, compressed, note);
    std::string rest = ": " + style_.Size(bytes);
    if (!compressed.empty()) rest += ", compressed " + compressed;
    if (!note.empty()) rest += " (" + EscapeControl(note) + ")";
    const size_t taken = level + DisplayWidth(rest);
    out_ += std::string(level, ' ') + (style_.width > taken ? CutTo(name, style_.width - taken) : name) + rest + '\n';
  }

  void AppendRow(size_t level, const std::string& name, uint64_t bytes, const std::string& compressed,
                 const std::string& note) {
    out_ += "| ";
    for (size_t i = 0; i < level; ++i) out_ += "&emsp;";
    out_ += MarkdownCell(name) + (note.empty() ? "" : " (" + MarkdownCell(EscapeControl(note)) + ")");
    out_ += " | " + style_.Size(bytes) + " |";
    if (style_.compressed) out_ += " " + compressed + " |";
    out_ += '\n';
  }

  std::set<const SizeNode*> open_;
  std::set<const SizeNode*> ways_;  // to open nodes
  const Style& style_;
  std::string out_;
};

// The columns of the data frame, of which the later ones are there where something has them.
struct FrameColumn {
  const char* name;
  std::string (*text)(const SizeNode& node);
};
std::string NumberOrNothing(const std::optional<uint64_t>& number) { return number ? std::to_string(*number) : ""; }
constexpr FrameColumn kFrameColumns[] = {
    {"Compressed (bytes)", [](const SizeNode& node) { return NumberOrNothing(node.compressed->size); }},
    {"In Planes (bytes)", [](const SizeNode& node) { return NumberOrNothing(node.compressed->planes_size); }},
    {"Other Names", [](const SizeNode& node) { return Join(node.more->aliases, ", ", EscapeControl); }},
    {"Type", [](const SizeNode& node) { return EscapeControl(node.dtype.str()); }},
    {"Module", [](const SizeNode& node) { return EscapeControl(node.module()); }}};

bool HasAny(const SizeNode& node, const FrameColumn& column) {  // NOLINT(misc-no-recursion): as deep as trees are
  return !column.text(node).empty() ||
         std::any_of(node.components.begin(), node.components.end(),
                     [&](const SizeNode& component) { return HasAny(component, column); });
}

}  // namespace

std::string NameText(const std::string& name, const std::vector<std::string>& aliases) {
  std::string text = EscapeControl(name);
  for (size_t i = 0; i < aliases.size(); ++i) text += (i == 0 ? " (also " : ", ") + EscapeControl(aliases[i]);
  return aliases.empty() ? text : text + ")";
}

// The table that the data frame of the Python package has.
std::string TreeCsv(const SizeNode& root) {
  std::vector<Column> columns = {{"Name"}, {"Size (bytes)"}, {"Level"}};
  std::vector<const FrameColumn*> more;
  for (const FrameColumn& column : kFrameColumns) {
    if (!HasAny(root, column)) continue;
    columns.push_back({column.name});
    more.push_back(&column);
  }
  Table table(columns);
  const auto add = [&](const auto& self, const SizeNode& node, size_t level) -> void {
    std::vector<std::string> row = {EscapeControl(node.name), std::to_string(node.size), std::to_string(level)};
    for (const FrameColumn* column : more) row.push_back(column->text(node));
    table.AddRow(row);
    for (const SizeNode& component : node.components) self(self, component, level + 1);
  };
  add(add, root, 0);
  return table.In({Format::kCsv});
}

std::string SummaryText(const SizeNode& root, const Style& style) {
  std::vector<const SizeNode*> rows;
  for (const SizeNode& component : root.components) rows.push_back(&component);
  std::stable_sort(rows.begin(), rows.end(), [](const SizeNode* a, const SizeNode* b) { return a->size > b->size; });
  rows.push_back(&root);
  std::vector<Column> columns = {{"Size", Align::kRight}, {"Share", Align::kRight}};
  if (style.compressed) columns.push_back({"Compressed", Align::kRight});
  if (root.compressed->planes_size) columns.push_back({"In Planes", Align::kRight});
  columns.push_back({"Component"});
  Table table(columns);
  for (const SizeNode* row : rows) {
    const double share = root.size == 0 ? 1 : static_cast<double>(row->size) / static_cast<double>(root.size);
    std::vector<std::string> cells = {style.Size(row->size), ShareText(share)};
    if (style.compressed) cells.push_back(row->compressed->size ? style.Size(*row->compressed->size) : "");
    if (root.compressed->planes_size)
      cells.push_back(row->compressed->planes_size ? style.Size(*row->compressed->planes_size) : "");
    cells.push_back(EscapeControl(row->name) +
                    (row->more->note.empty() ? "" : " (" + EscapeControl(row->more->note) + ")"));
    table.AddRow(cells, row == &root ? std::nullopt : std::optional(share));
  }
  return table.In(style);
}

std::string ListText(const SizeNode& root, const std::vector<const SizeNode*>& open, const Style& style) {
  return TreeText(open, style).List(root);
}

std::string ComponentText(const SizeNode& component, const Style& style) {
  return TreeText({&component}, style).Component(component);
}

Error NoSuchComponent(const SizeNode& root, const std::string& name) {
  const std::vector<std::string> near = NearMatches(root, name, kNearMatches);
  return InvalidArgument("no component " + DidYouMean(name, near, kNearMatches) +
                         (near.empty() ? ", see -l for those that exist" : ""));
}

std::string TreeHead(const Style& style) {
  if (style.format != Format::kMarkdown) return "";
  return style.compressed ? "| Name | Size | Compressed |\n| --- | ---: | ---: |\n"
                          : "| Name | Size |\n| --- | ---: |\n";
}

}  // namespace pteedit::cli
