#include "pteedit/profile/compressed_sizes.h"

#include <gtest/gtest.h>
#include <zstd.h>

#include "noise.h"
#include "program_builder.h"
#include "test_files.h"

namespace pteedit::compressed_sizes_test {
namespace {

using test::DataPath;
using test::OpenFile;

SizeNode Compressed(const Container& file, const CompressOptions& options) {
  Result<SizeNode> tree = MeasureSizes(file, {/*look_inside=*/true, {}});
  EXPECT_TRUE(tree);
  Result<SizeNode> sizes = AddCompressedSizes(*file.source(), *std::move(tree), options);
  EXPECT_TRUE(sizes) << (sizes ? "" : sizes.error().message);
  return *std::move(sizes);
}

// In one call, of bytes in memory.
size_t FrameSize(const std::vector<uint8_t>& bytes, int level) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  std::vector<uint8_t> frame(ZSTD_compressBound(bytes.size()));
  const size_t size = ZSTD_compress2(context, frame.data(), frame.size(), bytes.data(), bytes.size());
  ZSTD_freeCCtx(context);
  EXPECT_EQ(ZSTD_isError(size), 0U);
  return size;
}

void ExpectEachIsAFrame(const Container& file, const SizeNode& node, int level) {
  std::vector<uint8_t> bytes;
  for (const Extent& piece : PiecesOf(node)) {
    bytes.resize(bytes.size() + piece.size);
    ASSERT_TRUE(file.source()->Read(piece.offset, {bytes.data() + bytes.size() - piece.size, piece.size}));
  }
  ASSERT_TRUE(node.compressed->size) << node.name;
  EXPECT_EQ(*node.compressed->size, bytes.empty() ? 0 : FrameSize(bytes, level)) << node.name;
  for (const SizeNode& component : node.components) ExpectEachIsAFrame(file, component, level);
}

TEST(AddCompressedSizes, CompressesThePiecesOfEachNodeAsOneFrame) {
  for (const char* name : {"f06/mixed.pte", "f11_bundled_xnn.bpte", "f06/shared.ptd", "old/0.1_inline_delegate.pte",
                           "f16/twice_inline.pte"}) {
    const Container file = OpenFile(DataPath(name));
    ExpectEachIsAFrame(file, Compressed(file, {}), 3);
    ExpectEachIsAFrame(file, Compressed(file, {19, false, 3}), 19);
  }
}

// Of tensors of `width` bytes an element, whose bytes are noise but for the last.
void ExpectPlanes(int8_t type, size_t width) {
  const size_t count = 300'001;
  std::vector<uint8_t> bytes = test::Noise(count * width, 1);
  for (size_t i = 0; i < count; ++i) bytes[i * width + width - 1] = static_cast<uint8_t>(0x3e + i % 3);
  const TensorLayout layout{type, {static_cast<int32_t>(count)}, {0}};
  const Container file = test::DataFileBuilder().Key("w", bytes, layout).Key("i", test::Noise(1000, 2), {}).Open();
  std::vector<uint8_t> planes;
  for (size_t begin = 0; begin < count; begin += 131072) {
    const size_t end = std::min(count, begin + 131072);
    for (size_t byte = 0; byte < width; ++byte) {
      for (size_t i = begin; i < end; ++i) planes.push_back(bytes[i * width + byte]);
    }
  }
  const SizeNode tree = Compressed(file, {3, false, 2});
  const SizeNode* tensors = FindComponent(tree, "Tensors");
  const SizeNode *weight = FindComponent(tree, "w"), *other = FindComponent(tree, "i");
  ASSERT_TRUE(tensors && weight && other);
  EXPECT_EQ(weight->compressed->planes_size, FrameSize(planes, 3));
  EXPECT_LT(*weight->compressed->planes_size, *weight->compressed->size);
  EXPECT_FALSE(other->compressed->planes_size);
  EXPECT_LT(*tensors->compressed->planes_size, *tensors->compressed->size);
  EXPECT_LT(*tree.compressed->planes_size, *tree.compressed->size);
}

TEST(AddCompressedSizes, AlsoPutsBytesOfFloatsInPlanes) {
  ExpectPlanes(6, 4);
  ExpectPlanes(15, 2);
}

// More than what is read, and what zstd takes, at once.
TEST(AddCompressedSizes, StreamsWhatIsLarge) {
  std::vector<uint8_t> bytes = test::ReadBytes(DataPath("f02_linear.pte"));
  for (uint32_t i = 0; bytes.size() < 5'000'000; ++i) bytes.push_back(static_cast<uint8_t>(i * i >> i % 13));
  const Container file = *test::OpenBytes(bytes);
  ExpectEachIsAFrame(file, Compressed(file, {}), 3);
}

TEST(AddCompressedSizes, LooksOnlyAtTheTopWhereAsked) {
  const SizeNode tree = Compressed(OpenFile(DataPath("f06/mixed.pte")), {3, true, 1});
  EXPECT_TRUE(tree.compressed->size);
  for (const SizeNode& component : tree.components) {
    EXPECT_TRUE(component.compressed->size) << component.name;
    for (const SizeNode& row : component.components) EXPECT_FALSE(row.compressed->size) << row.name;
  }
}

TEST(AddCompressedSizes, RefusesLevelsThatDoNotExist) {
  const Container file = OpenFile(DataPath("f02_linear.pte"));
  for (const int level : {0, 20, -1}) {
    const auto sizes = AddCompressedSizes(*file.source(), *MeasureSizes(file), {level, false, 1});
    ASSERT_FALSE(sizes);
    EXPECT_EQ(sizes.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(AddCompressedSizes, PassesReadErrorsOn) {
  SizeNode node;
  node.size = 100;
  node.more.Edit().pieces = {{0, 100}};
  const auto source =
      MakeCallbackSource("gone.pte", 100, [](uint64_t, MutableByteSpan) { return Status(IoError("gone")); });
  const auto sizes = AddCompressedSizes(*source, node);
  ASSERT_FALSE(sizes);
  EXPECT_EQ(sizes.error().code, ErrorCode::kIo);
}

}  // namespace
}  // namespace pteedit::compressed_sizes_test
