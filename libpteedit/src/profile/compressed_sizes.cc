#include "pteedit/profile/compressed_sizes.h"

#include <zstd.h>

#include <algorithm>
#include <map>
#include <memory>
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
  FrameCounter(int level, uint64_t content_size)
      : context_(ZSTD_createCCtx()),
        out_(std::min<uint64_t>(ZSTD_CStreamOutSize(), ZSTD_compressBound(static_cast<size_t>(content_size)))) {
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

// Where weights lie whose bytes can be put into planes: by offset, how many bytes of how wide elements.
struct Floats {
  uint64_t bytes = 0;
  size_t width = 0;
};
using FloatPlaces = std::map<uint64_t, Floats>;

// Of what is compressed: bytes as they are, or elements in planes.
struct Part {
  Extent place;
  size_t width = 1;
};

constexpr size_t kPlaneElements = size_t{128} << 10;  // of a plane, which so is a block of a frame

Status AddInPlanes(const Source& file, const Part& part, FrameCounter& frame) {
  const auto most = static_cast<size_t>(std::min<uint64_t>(kPlaneElements * part.width, part.place.size));
  std::vector<uint8_t> elements(most), planes(most);
  for (uint64_t done = 0; done < part.place.size;) {
    const auto size = static_cast<size_t>(std::min<uint64_t>(part.place.size - done, elements.size()));
    PTEEDIT_TRY(file.Read(part.place.offset + done, {elements.data(), size}));
    const size_t count = size / part.width;
    for (size_t byte = 0; byte < part.width; ++byte) {
      for (size_t i = 0; i < count; ++i) planes[byte * count + i] = elements[i * part.width + byte];
    }
    PTEEDIT_TRY(frame.Add({planes.data(), size}));
    done += size;
  }
  return {};
}

Result<uint64_t> CompressedSize(const Source& file, const std::vector<Part>& parts, int level) {
  uint64_t size = 0;
  for (const Part& part : parts) size += part.place.size;
  FrameCounter frame(level, size);
  for (const Part& part : parts) {
    PTEEDIT_TRY(part.width == 1 ? ForEachPiece(file, part.place, [&](ByteSpan span) { return frame.Add(span); })
                                : AddInPlanes(file, part, frame));
  }
  return frame.Finish();
}

std::vector<Part> PartsOf(const Pieces& pieces, const FloatPlaces& floats) {
  std::vector<Part> parts;
  for (const auto& [offset, bytes] : pieces) {
    uint64_t done = offset;
    const uint64_t end = offset + bytes;
    for (auto place = floats.lower_bound(offset); place != floats.end() && place->first < end; ++place) {
      if (place->first < done || place->second.bytes > end - place->first) continue;
      if (place->first != done) parts.push_back({{done, place->first - done}});
      parts.push_back({{place->first, place->second.bytes}, place->second.width});
      done = place->first + place->second.bytes;
    }
    if (done != end) parts.push_back({{done, end - done}});
  }
  return parts;
}

Pieces KeyOf(const SizeNode& node) {
  Pieces pieces;
  for (const Extent& piece : PiecesOf(node)) pieces.emplace_back(piece.offset, piece.size);
  return pieces;
}

void AddFloats(const SizeNode& node, FloatPlaces& floats) {  // NOLINT(misc-no-recursion): as deep as trees are
  for (const SizeNode& component : node.components) AddFloats(component, floats);
  const size_t width = node.dtype == "float32" ? 4 : node.dtype == "bfloat16" ? 2 : 0;
  if (width == 0 || node.size % width != 0) return;
  const std::vector<Extent> pieces = PiecesOf(node);
  if (pieces.size() == 1) floats[pieces.front().offset] = {node.size, width};
}

// Nodes by what they hold, so that nothing is compressed twice.
class Contents {
 public:
  explicit Contents(FloatPlaces floats) : floats_(std::move(floats)) {}

  void Add(SizeNode& node) {
    if (node.size == 0) {
      node.more.Edit().compressed_size = 0;
    } else {
      by_pieces_[KeyOf(node)].push_back(&node);
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
    std::vector<Status> statuses(contents.size());
    ParallelFor(contents.size(), options.threads, [&](size_t i) {
      statuses[i] = Compress(file, contents[i]->first, options.level, contents[i]->second);
    });
    for (Status& status : statuses) PTEEDIT_TRY(std::move(status));
    return {};
  }

 private:
  Status Compress(const Source& file, const Pieces& pieces, int level, const std::vector<SizeNode*>& nodes) const {
    PTEEDIT_ASSIGN(const uint64_t size, CompressedSize(file, PartsOf(pieces, {}), level));
    for (SizeNode* node : nodes) node->more.Edit().compressed_size = size;
    const std::vector<Part> parts = PartsOf(pieces, floats_);
    if (std::all_of(parts.begin(), parts.end(), [](const Part& part) { return part.width == 1; })) return {};
    PTEEDIT_ASSIGN(const uint64_t planes, CompressedSize(file, parts, level));
    for (SizeNode* node : nodes) node->more.Edit().planes_size = planes;
    return {};
  }

  std::map<Pieces, std::vector<SizeNode*>> by_pieces_;
  const FloatPlaces floats_;
};

}  // namespace

Result<SizeNode> AddCompressedSizes(const Source& file, SizeNode tree, const CompressOptions& options) {
  if (options.level < kMinZstdLevel || options.level > kMaxZstdLevel)
    return InvalidArgument(Text("zstd level ", options.level, ", ", kMinZstdLevel, " to ", kMaxZstdLevel, " expected"));
  FloatPlaces floats;
  AddFloats(tree, floats);
  Contents contents(std::move(floats));
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
