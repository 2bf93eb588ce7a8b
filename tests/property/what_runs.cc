#include "what_runs.h"

#include <cstdlib>
#include <map>
#include <utility>

namespace pteedit::test {
namespace {

constexpr char kEquals[] = " = ";

struct Line {
  std::string path, text;
};

Line Cut(const std::string& line) {
  const size_t at = line.find(kEquals);
  return {line.substr(0, at), line.substr(at + sizeof(kEquals) - 1)};
}

bool StartsWith(const std::string& text, const std::string& start) { return text.compare(0, start.size(), start) == 0; }

bool EndsWith(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

bool EndsWithAny(const std::string& text, const std::vector<std::string>& ends) {
  for (const std::string& end : ends) {
    if (EndsWith(text, end)) return true;
  }
  return false;
}

// One method.
class Method {
 public:
  // `path` without the method's own.
  void Add(const std::string& path, const std::string& text) {
    for (const char* table : {"values", "operators", "delegates"}) {
      const std::string start = std::string(".") + table + "[";
      if (!StartsWith(path, start)) continue;
      const size_t end = path.find(']');
      const long index = std::strtol(path.c_str() + start.size(), nullptr, 10);
      items_[{table, index}].push_back({path.substr(end + 1), text});
      return;
    }
    others_.push_back({path, text});
  }

  Lines Tell() {
    for (const Line& line : others_) {
      if (line.path.find(".stacktrace") != std::string::npos) continue;
      if (EndsWithAny(line.path, {".values", ".operators", ".delegates"})) continue;  // how many there are
      TellLine(line.path, line.text);
    }
    return std::move(told_);
  }

 private:
  void TellLine(const std::string& path, const std::string& text) {
    const bool is_value = EndsWithAny(
        path, {".inputs", ".outputs", ".args", ".move_from", ".move_to", ".cond_value_index", ".value_index"});
    const char* table = is_value                            ? "values"
                        : EndsWith(path, ".op_index")       ? "operators"
                        : EndsWith(path, ".delegate_index") ? "delegates"
                                                            : nullptr;
    told_.push_back(path + kEquals + (table == nullptr ? text : Renumbered(table, text)));
    TellItems();
  }

  // With each number of `text` as that of the item's first mention.
  std::string Renumbered(const std::string& table, const std::string& text) {
    std::string renumbered;
    for (const char* at = text.c_str(); *at != 0;) {
      char* end = nullptr;
      const bool is_number = (*at >= '0' && *at <= '9') || *at == '-';
      if (!is_number) {
        renumbered += *at++;
        continue;
      }
      const long index = std::strtol(at, &end, 10);
      renumbered += index < 0 ? std::string("none") : table + std::to_string(Number(table, index));
      at = end;
    }
    return renumbered;
  }

  size_t Number(const std::string& table, long index) {
    const auto [known, is_new] = numbers_[table].try_emplace(index, numbers_[table].size());
    if (is_new) open_.push_back({table, index});
    return known->second;
  }

  // All that was mentioned and not yet told, with what it mentions itself.
  void TellItems() {
    while (!open_.empty()) {
      const Item item = open_.back();
      open_.pop_back();
      const std::string name = item.first + std::to_string(Number(item.first, item.second));
      std::string type;
      for (const Line& line : items_.at(item)) {
        if (line.path == ".val") type = line.text;
        const bool is_list = type == "TensorList" || type == "OptionalTensorList" || type == "IntList";
        const bool mentions = is_list && line.path == ".val.items";
        told_.push_back(name + line.path + kEquals + (mentions ? Renumbered("values", line.text) : line.text));
      }
    }
  }

  using Item = std::pair<std::string, long>;

  std::map<Item, std::vector<Line>> items_;
  std::vector<Line> others_;
  std::map<std::string, std::map<long, size_t>> numbers_;
  std::vector<Item> open_;
  Lines told_;
};

}  // namespace

Lines WhatRuns(const Lines& meaning) {
  Lines told;
  std::map<std::string, Method> methods;
  std::vector<std::string> order;
  for (const std::string& line : meaning) {
    const Line cut = Cut(line);
    const size_t end = cut.path.find(']');
    if (!StartsWith(cut.path, "[")) {  // the index of a method
      if (!StartsWith(line, "key '")) told.push_back(line);
      continue;
    }
    const std::string method = cut.path.substr(0, end + 1);
    if (methods.count(method) == 0) order.push_back(method);
    methods[method].Add(cut.path.substr(end + 1), cut.text);
  }
  for (const std::string& method : order) {
    for (std::string& line : methods[method].Tell()) told.push_back(method + line);
  }
  return told;
}

}  // namespace pteedit::test
