// Stripping in tests, with what must hold for every result.
#ifndef PTEEDIT_TESTS_SUPPORT_STRIP_FILES_H_
#define PTEEDIT_TESTS_SUPPORT_STRIP_FILES_H_

#include <string>
#include <vector>

#include "file_contents.h"
#include "pteedit/strip.h"
#include "split_files.h"

namespace pteedit::test {

inline StripOptions StripOnly(bool StripOptions::*option) {
  StripOptions options;
  options.debug = options.unreferenced = false;
  options.*option = true;
  return options;
}

inline StripOptions StripEverything() {
  StripOptions options;
  options.padding = options.dedupe = true;
  return options;
}

struct StrippedFile {
  Container file;
  RewriteReport report;

  Names removed() const {  // "what name"
    Names names;
    for (const MovedItem& item : report.items)
      names.push_back(std::string(item.what) + (item.name.empty() ? "" : " ") + item.name.str());
    return names;
  }
  tables::Program tables() const { return UnpackProgram(file.tables(), kAnyBlobAlignment); }
};

// Strips and checks that the result is no larger, the very same bytes where nothing went, and stripped for good.
inline StrippedFile Stripped(const Container& file, const StripOptions& options) {
  auto result = Strip(file, options);
  EXPECT_TRUE(result) << Words(result);
  StrippedFile stripped{Opened(result->file, file.name()), std::move(result->report)};
  EXPECT_EQ(stripped.file.kind(), result->kind);
  EXPECT_TRUE(result->file.size() <= file.source()->size() || options.min_alignment > 16);
  EXPECT_TRUE(result->changed || BytesOf(stripped.file) == BytesOf(file)) << "unchanged, but the bytes differ";
  EXPECT_TRUE(!stripped.report.items.empty() || !result->changed || options.min_alignment > 16);
  StripOptions again = options;
  again.unwrap = false;
  const auto second = Strip(stripped.file, again);
  EXPECT_TRUE(second) << Words(second);
  EXPECT_EQ(Names(), NamesOf(second->report.items));
  EXPECT_TRUE(BytesOf(second->file) == BytesOf(stripped.file)) << "stripped again it is another file";
  return stripped;
}

}  // namespace pteedit::test

#endif  // PTEEDIT_TESTS_SUPPORT_STRIP_FILES_H_
