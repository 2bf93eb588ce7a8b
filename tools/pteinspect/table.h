// Rows in aligned columns under a header row.
#ifndef PTEEDIT_TOOLS_PTEINSPECT_TABLE_H_
#define PTEEDIT_TOOLS_PTEINSPECT_TABLE_H_

#include <string>
#include <vector>

namespace pteedit::inspect {

enum class Align { kLeft, kRight };

struct Column {
  std::string title;
  Align align = Align::kLeft;
};

class Table {
 public:
  explicit Table(std::vector<Column> columns);

  // As many cells as there are columns, in UTF-8 without control bytes.
  void AddRow(std::vector<std::string> cells);

  // Two spaces between columns, none at the end of a line.
  std::string Text() const;

 private:
  std::vector<Align> aligns_;
  std::vector<std::vector<std::string>> rows_;  // the first holds the titles
};

}  // namespace pteedit::inspect

#endif  // PTEEDIT_TOOLS_PTEINSPECT_TABLE_H_
