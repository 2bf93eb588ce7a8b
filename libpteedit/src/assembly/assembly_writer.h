// The lines of an assembly: pieces one after the other, and what is between them.
#ifndef PTEEDIT_SRC_ASSEMBLY_ASSEMBLY_WRITER_H_
#define PTEEDIT_SRC_ASSEMBLY_ASSEMBLY_WRITER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assembly/assembly_pieces.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

// The extents that the tables say segments have, by number, as far as they lie apart behind the tables.
struct AssemblySegments {
  uint64_t base = 0;            // in the file
  std::vector<Extent> extents;  // in the file; of no bytes where there is no such place
};

class AssemblyWriter {
 public:
  AssemblyWriter(std::shared_ptr<const Source> file, const std::function<void(std::string_view)>& write)
      : file_(std::move(file)), write_(write) {}

  // Where what comes next begins.
  uint64_t at() const { return at_; }

  void Line(std::string_view text);
  // A line for bytes that the caller has put into words.
  void Words(std::string_view text, uint64_t bytes);
  void Label(std::string_view label);
  // Bytes up to `end` that nothing is known of.
  Status Gap(uint64_t end);
  // Up to `end`, where segments or one of them begin: padding is told by an alignment.
  Status AlignTo(uint64_t end);
  // Like Gap(), as a piece with a label.
  Status Bytes(std::string_view label, uint64_t begin, uint64_t end);
  Status Pieces(const AssemblyPieces& pieces, const AssemblySegments& segments);

 private:
  struct Start {
    uint64_t begin = 0;
    uint64_t unit = 1;  // `begin` + `ahead` is a multiple of this
    uint64_t ahead = 0;
  };
  // What to write behind a piece's label so that it begins where it does; writes what padding does not tell.
  Result<std::string> Place(Start start, uint64_t aligned_ahead);
  Result<bool> IsZero(uint64_t begin, uint64_t end);
  Status Contents(uint64_t end);
  Status Piece(const AssemblyPieces& pieces, uint32_t piece, const AssemblySegments& segments);
  Status TablePiece(const AssemblyPieces& pieces, uint32_t piece, const AssemblySegments& segments);
  Status VectorPiece(const AssemblyPieces& pieces, uint32_t piece);

  std::shared_ptr<const Source> file_;
  const std::function<void(std::string_view)>& write_;
  uint64_t at_ = 0;
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_ASSEMBLY_ASSEMBLY_WRITER_H_
