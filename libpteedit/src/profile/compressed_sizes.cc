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

Status AddTo(FrameCounter& frame, const Source& file, const Part& part) {
  if (part.width != 1) return AddInPlanes(file, part, frame);
  return ForEachPiece(file, part.place, [&](ByteSpan span) { return frame.Add(span); });
}

// In order, until `use` fails.
template <class Use>
Status ForEachPart(const Extents& pieces, const FloatPlaces& floats, Use use) {
  for (const Extent piece : pieces) {
    uint64_t done = piece.offset;
    const uint64_t end = piece.offset + piece.size;
    for (auto place = floats.lower_bound(done); place != floats.end() && place->first < end; ++place) {
      if (place->first < done || place->second.bytes > end - place->first) continue;
      if (place->first != done) PTEEDIT_TRY(use(Part{{done, place->first - done}}));
      PTEEDIT_TRY(use(Part{{place->first, place->second.bytes}, place->second.width}));
      done = place->first + place->second.bytes;
    }
    if (done != end) PTEEDIT_TRY(use(Part{{done, end - done}}));
  }
  return {};
}

void AddFloats(const SizeNode& node, FloatPlaces& floats) {  // NOLINT(misc-no-recursion): as deep as trees are
  for (const SizeNode& component : node.components) AddFloats(component, floats);
  const size_t width = node.dtype.str() == "float32" ? 4 : node.dtype.str() == "bfloat16" ? 2 : 0;
  if (width == 0 || node.size % width != 0) return;
  const Extents pieces = PiecesOf(node);
  if (pieces.size() == 1) floats[pieces.back().offset] = {node.size, width};
}

// Nodes by what they hold, so that nothing is compressed twice.
class Contents {
 public:
  explicit Contents(FloatPlaces floats) : floats_(std::move(floats)) {}

  void Add(SizeNode& node) {
    if (node.size == 0) {
      node.compressed.Edit().size = 0;
    } else {
      nodes_.push_back(&node);
    }
  }

  void AddAll(SizeNode& node) {
    Add(node);
    for (SizeNode& component : node.components) AddAll(component);
  }

  // The largest take longest, so they start first.
  Status Compress(const Source& file, const CompressOptions& options) {
    std::sort(nodes_.begin(), nodes_.end(), [](const SizeNode* a, const SizeNode* b) { return IsBefore(*a, *b); });
    std::vector<size_t> firsts;  // of those with the same bytes
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (i == 0 || IsBefore(*nodes_[i - 1], *nodes_[i])) firsts.push_back(i);
    }
    return ParallelFor(firsts.size(), options.threads, [&](size_t i) {
      const size_t end = i + 1 < firsts.size() ? firsts[i + 1] : nodes_.size();
      return Compress(file, options.level, firsts[i], end);
    });
  }

 private:
  static bool IsBefore(const SizeNode& a, const SizeNode& b) {
    if (a.size != b.size) return a.size > b.size;
    const Extents one = PiecesOf(a), other = PiecesOf(b);
    return std::lexicographical_compare(one.begin(), one.end(), other.begin(), other.end(), [](Extent x, Extent y) {
      return std::pair(x.offset, x.size) < std::pair(y.offset, y.size);
    });
  }

  Status Compress(const Source& file, int level, size_t begin, size_t end) const {
    const Extents pieces = PiecesOf(*nodes_[begin]);
    const auto compressed_size = [&](const FloatPlaces& floats) -> Result<uint64_t> {
      FrameCounter frame(level, nodes_[begin]->size);
      PTEEDIT_TRY(ForEachPart(pieces, floats, [&](const Part& part) { return AddTo(frame, file, part); }));
      return frame.Finish();
    };
    PTEEDIT_ASSIGN(const uint64_t size, compressed_size({}));
    for (size_t i = begin; i < end; ++i) nodes_[i]->compressed.Edit().size = size;
    bool has_floats = false;
    PTEEDIT_TRY(ForEachPart(pieces, floats_, [&](const Part& part) {
      has_floats = has_floats || part.width != 1;
      return Status();
    }));
    if (!has_floats) return {};
    PTEEDIT_ASSIGN(const uint64_t planes, compressed_size(floats_));
    for (size_t i = begin; i < end; ++i) nodes_[i]->compressed.Edit().planes_size = planes;
    return {};
  }

  std::vector<SizeNode*> nodes_;
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
