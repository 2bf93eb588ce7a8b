// What must hold for every program with its data files, generated or real. Each law returns what is wrong, or nothing.
#ifndef PTEEDIT_TESTS_PROPERTY_LAWS_H_
#define PTEEDIT_TESTS_PROPERTY_LAWS_H_

#include <string>
#include <vector>

#include "independent_reader.h"
#include "pteedit/split.h"

namespace pteedit::test {

struct Files {
  FileBytes program;
  std::vector<FileBytes> data;
  uint64_t least_alignment = 16;  // of the program's segments
};

// Fails the test where one of them does not open.
struct OpenedFiles {
  explicit OpenedFiles(const Files& files);
  Container program;
  std::vector<Container> data;
};

// A rewrite that changes nothing gives the very same bytes.
std::string RewriteOfNothingIsIdentical(const Files& files);

// A forced repack says the same to the independent reader and is as it is when repacked again;
//   its tables have at most 64 bytes more (the extended header may grow by 8 and be padded) plus, for each inline blob
//     that lies rounder than the schema's 16, the alignment that this shows: it is kept, and order decides what that
//     costs;
//   the file has at most that more, plus twice its largest alignment where the tables grew or the old base was not
//     aligned to it: a base that moves, moves by whole alignments;
//   each segment with bytes lies at a multiple of its least alignment before, where that is at most 128; inline blobs
//     at 16.
std::string RepackKeepsEverything(const Files& files);
// What an exporter wrote never has more than 64 bytes more after a forced repack.
std::string RepackNeverGrows(const Files& files);
// The law of RepackKeepsEverything for each data file.
std::string RepackKeepsDataFiles(const Files& files);

// A split program with its data files, and the joined program without any, mean what the program meant; a split takes
// out everything that it says, so that the same split finds nothing more to do.
std::string SplitAndJoinKeepTheMeaning(const Files& files, const SplitOptions& options);

// Every inner node of the size tree is the sum of its components, and the root the file, for each of the files.
std::string SizesAddUp(const Files& files);

// What the plan of a split reads as is what WriteFiles writes.
std::string PlanEqualsFile(const Files& files, const std::string& folder);

// Whatever these bytes are: an error or a file with which all operations end in a result or an error.
void UseDamaged(const FileBytes& file, const std::vector<FileBytes>& data);

}  // namespace pteedit::test

#endif  // PTEEDIT_TESTS_PROPERTY_LAWS_H_
