#include "pteedit/profile/compressed_sizes.h"

#include <zstd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "base/text.h"
#include "io/streaming.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

// Counts the bytes of one frame and keeps none of them.
class FrameCounter {
 public:
  FrameCounter(int level, uint64_t content_size) : context_(ZSTD_createCCtx()), out_(ZSTD_CStreamOutSize()) {
    if (context_ == nullptr) return;
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
    ZSTD_CCtx_setPledgedSrcSize(context_.get(), content_size);
  }

  Status Add(ByteSpan bytes) {
    ZSTD_inBuffer in{bytes.data, bytes.size, 0};
    while (in.pos < in.size) PTEEDIT_TRY(Step(in, ZSTD_e_continue).status);
    return {};
  }

  Result<uint64_t> Finish() {
    ZSTD_inBuffer none{nullptr, 0, 0};
    for (size_t left = 1; left != 0;) {
      Stepped stepped = Step(none, ZSTD_e_end);
      PTEEDIT_TRY(std::move(stepped.status));
      left = stepped.left;
    }
    return count_;
  }

 private:
  struct Stepped {
    Status status;
    size_t left = 0;  // bytes that zstd still holds back
  };

  Stepped Step(ZSTD_inBuffer& in, ZSTD_EndDirective directive) {
    if (context_ == nullptr) return {Unsupported("there is no memory to compress with"), 0};
    ZSTD_outBuffer out{out_.data(), out_.size(), 0};
    const size_t left = ZSTD_compressStream2(context_.get(), &out, &in, directive);
    if (ZSTD_isError(left) != 0) return {Unsupported(Text("zstd cannot compress: ", ZSTD_getErrorName(left))), 0};
    count_ += out.pos;
    return {Status(), left};
  }

  std::unique_ptr<ZSTD_CCtx, FreeContext> context_;
  std::vector<uint8_t> out_;
  uint64_t count_ = 0;
};

using Pieces = std::vector<std::pair<uint64_t, uint64_t>>;  // offset and size

Result<uint64_t> CompressedSize(const Source& file, const Pieces& pieces, int level) {
  uint64_t size = 0;
  for (const auto& piece : pieces) size += piece.second;
  FrameCounter frame(level, size);
  for (const auto& [offset, bytes] : pieces)
    PTEEDIT_TRY(ForEachPiece(file, {offset, bytes}, [&](ByteSpan span) { return frame.Add(span); }));
  return frame.Finish();
}

Pieces PiecesOf(const SizeNode& node) {
  Pieces pieces;
  for (const Extent& piece : node.pieces) pieces.emplace_back(piece.offset, piece.size);
  return pieces;
}

// Nodes by what they hold, so that nothing is compressed twice.
class Contents {
 public:
  void Add(SizeNode& node) {
    if (node.size == 0) {
      node.compressed_size = 0;
    } else {
      by_pieces_[PiecesOf(node)].push_back(&node);
    }
  }

  void AddAll(SizeNode& node) {
    Add(node);
    for (SizeNode& component : node.components) AddAll(component);
  }

  Status Compress(const Source& file, const CompressOptions& options) {
    std::vector<const decltype(by_pieces_)::value_type*> contents;
    for (const auto& content : by_pieces_) contents.push_back(&content);
    // The largest take longest, so they start first.
    std::stable_sort(contents.begin(), contents.end(),
                     [](const auto* a, const auto* b) { return a->second[0]->size > b->second[0]->size; });
    std::vector<std::optional<Result<uint64_t>>> sizes(contents.size());
    ParallelFor(contents.size(), options.threads,
                [&](size_t i) { sizes[i] = CompressedSize(file, contents[i]->first, options.level); });
    for (size_t i = 0; i < contents.size(); ++i) {
      PTEEDIT_ASSIGN(const uint64_t size, *std::move(sizes[i]));
      for (SizeNode* node : contents[i]->second) node->compressed_size = size;
    }
    return {};
  }

 private:
  std::map<Pieces, std::vector<SizeNode*>> by_pieces_;
};

}  // namespace

Result<SizeNode> AddCompressedSizes(const Source& file, SizeNode tree, const CompressOptions& options) {
  if (options.level < kMinZstdLevel || options.level > kMaxZstdLevel)
    return InvalidArgument(Text("zstd level ", options.level, ", ", kMinZstdLevel, " to ", kMaxZstdLevel, " expected"));
  Contents contents;
  if (options.only_top) {
    contents.Add(tree);
    for (SizeNode& component : tree.components) contents.Add(component);
  } else {
    contents.AddAll(tree);
  }
  PTEEDIT_TRY(contents.Compress(file, options));
  return tree;
}

}  // namespace pteedit
