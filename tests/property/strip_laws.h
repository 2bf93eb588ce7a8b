// What must hold for every strip of every program and data file. Each law returns what is wrong, or nothing.
#ifndef PTEEDIT_TESTS_PROPERTY_STRIP_LAWS_H_
#define PTEEDIT_TESTS_PROPERTY_STRIP_LAWS_H_

#include <string>

#include "laws.h"
#include "pteedit/strip.h"

namespace pteedit::test {

// A stripped program, with its data files as they were,
//   runs the same to the independent reader, and loses no key but those that the report names;
//   says the same in every word where only padding and copies went;
//   has no stack trace left where these were to go;
//   is no larger, unless it was to be aligned, and has the very same bytes where nothing went;
//   has nothing left for the same strip.
std::string StripKeepsWhatRuns(const Files& files, const StripOptions& options);

// The same of each data file, whose entries all stay.
std::string StripKeepsDataFiles(const Files& files, const StripOptions& options);

// A program whose equal tables are one means the same, keeps the laws of sizes and of split and join, and what changes
// one user of a table that two have leaves the other: edited, it means what the edited program means.
std::string RepackedIsEditedAlike(const Files& files);

}  // namespace pteedit::test

#endif  // PTEEDIT_TESTS_PROPERTY_STRIP_LAWS_H_
