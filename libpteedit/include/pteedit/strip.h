// Removing what does not run: stack traces, what nothing refers to, padding, copies of equal contents. The operation
// only plans: it returns the output as a PlannedFile with a report, and never writes.
#ifndef PTEEDIT_STRIP_H_
#define PTEEDIT_STRIP_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "pteedit/container.h"
#include "pteedit/export.h"
#include "pteedit/planned_file.h"
#include "pteedit/result.h"
#include "pteedit/rewrite_report.h"

namespace pteedit {

// What to remove. Names of methods, operators and inputs, the instructions and their order are never touched, so
// profiles and records of the file as it was still belong to it.
struct StripOptions {
  bool debug = true;  // stack traces: source paths, lines and functions. Data files have none
  // Values, operators, delegates, constants, initial states, blobs and segments that nothing refers to. Of the keys of
  // a program only those that surely nobody reads: no delegate mentions them, every delegate's backend has a decoder
  // that lists all keys, and the key says nothing but its content. A data file's keys are all in use.
  bool unreferenced = true;
  bool padding = false;  // bytes between and behind the segments, and between buffers inside them
  bool dedupe = false;   // equal contents are stored once
  // With `dedupe`: a key with the bytes of a constant lies inside the constant segment from then on, where that makes
  // the file smaller. Runtimes up to 1.5 accept segments inside others, but nothing promises it.
  bool overlap = false;
  // Equal strings, lists and, in a program, tables are written once. What later rewrites write of it is so, too.
  bool repack = false;
  // Of a data file: the keys that none of these programs uses, and their contents. Stays: what a delegate that nobody
  // can decode may read by a key of its own making, and every key of a file to which one of the programs is bound.
  std::vector<Container> programs;
  bool keep_debug = false;      // plans what `debug` removes as a file of its own, see debug_file.h
  bool unwrap = false;          // the program of a .bpte, without the bundle around it
  uint64_t min_alignment = 16;  // of all segments; a power of two; larger ones are kept
  unsigned threads = 1;         // for comparing contents; the result is the same with any number
};

struct StripResult {
  PlannedFile file;
  std::optional<PlannedFile> debug = std::nullopt;  // with `keep_debug`, where there was anything
  FileKind kind = FileKind::kProgram;               // of `file`: that of the input unless it was unwrapped
  bool changed = false;                             // whether `file` is anything but the very bytes of the input
  RewriteReport report;                             // items: what was removed, `to` is empty
};

// `file` is a .pte, .ptd or .bpte; of a .bpte the program inside is stripped and the bundle kept around it. Where there
// is nothing to remove the result is the very same bytes, and it is never larger than the input but for alignment
// that was asked for. Fails with kUnsupported where the file cannot be rewritten without loss, kInvalidArgument where
// something else than a bundle is to be unwrapped or than a data file to be stripped for programs, where one of these
// is none, and where they use no key of it, kIo where contents cannot be read.
PTEEDIT_API Result<StripResult> Strip(const Container& file, const StripOptions& options);

}  // namespace pteedit

#endif  // PTEEDIT_STRIP_H_
