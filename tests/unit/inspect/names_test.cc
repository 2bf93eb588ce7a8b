#include "pteedit/names.h"

#include <gtest/gtest.h>

#include <bit>
#include <numeric>

#include "inspect/stored_forms.h"
#include "io/digest.h"
#include "program/constants.h"
#include "program/found_names.h"
#include "program_builder.h"
#include "pteedit/delegates.h"
#include "pteedit/describe.h"
#include "pteedit/hashes.h"
#include "pteedit/sizes.h"
#include "test_files.h"

namespace pteedit::names_test {
namespace {

using Bytes = std::vector<uint8_t>;
using Names = std::vector<std::string>;

Bytes Counting(size_t size, uint8_t first = 0) {
  Bytes bytes(size);
  std::iota(bytes.begin(), bytes.end(), first);
  return bytes;
}

std::string HashOf(const Bytes& bytes) { return Sha256Of(ByteSpan{bytes.data(), bytes.size()}).Hex(); }

ContentName Content(const std::string& name, const Bytes& bytes, const std::vector<uint64_t>& sizes) {
  return {name, bytes.size(), {}, sizes, MakeMemorySource("checkpoint", bytes)};
}

const TensorLayout kMatrix{6, {4, 6}, {0, 1}};  // 96 bytes

Container WithConstant(const Bytes& bytes, const TensorLayout& layout = kMatrix) {
  return test::ProgramBuilder().Method("forward").Constant(layout, bytes).Open();
}

Names NamesOf(const Container& file) {
  const std::vector<Constant> constants = CollectConstants(file);
  Names names{constants.at(0).name};
  names.insert(names.end(), constants[0].aliases.begin(), constants[0].aliases.end());
  return names;
}

Container Named(const Container& file, std::vector<ContentName> contents) {
  Result<Container> named = ContentNames(std::move(contents)).Name(file);
  EXPECT_TRUE(named) << (named ? "" : named.error().message);
  return named ? *std::move(named) : file;
}

TEST(Names, OfConstantsAreThoseOfEqualBytes) {
  const Container file = WithConstant(Counting(96));
  const Container named =
      Named(file, {Content("other", Counting(96, 1), {96}), Content("fc.weight", Counting(96), {96}),
                   Content("tied.weight", Counting(96), {96})});
  EXPECT_EQ(NamesOf(named), (Names{"fc.weight", "tied.weight"}));
  EXPECT_EQ(NamesOf(file), (Names{"forward.constant_0"}));
  EXPECT_EQ(OwnNames(CollectConstants(named)[0]), (Names{"forward.constant_0"}));
}

TEST(Names, OfTransposedMatricesAreFound) {
  const Bytes stored = Counting(96);  // 4 rows of 6 numbers of 4 bytes, of which the checkpoint has 6 rows of 4
  Bytes bytes;
  for (size_t column = 0; column < 6; ++column) {
    for (size_t row = 0; row < 4; ++row) {
      const auto number = stored.begin() + static_cast<std::ptrdiff_t>((row * 6 + column) * 4);
      bytes.insert(bytes.end(), number, number + 4);
    }
  }
  for (const std::vector<uint64_t>& sizes : {std::vector<uint64_t>{6, 4}, {1, 6, 4}, {1, 6, 2, 2}})
    EXPECT_EQ(NamesOf(Named(WithConstant(stored), {Content("mix", bytes, sizes)})), (Names{"mix"})) << sizes.size();
}

TEST(Names, OfMatricesThatCouldOnlyBeReadInSliversAreNotSought) {
  ContentName content = Content("tall", Bytes(8), {2});
  for (const auto& [rows, forms] : {std::pair<uint64_t, size_t>(100'000, 2), {1'000'000, 1}}) {
    content.sizes = {rows, 100};
    content.bytes = rows * 100 * 4;
    EXPECT_EQ(StoredFormsOf(content).size(), forms) << rows;
  }
}

// As backends pack `bytes`, numbers from -8 to 7 in rows of `columns`, into rows of `stored` ones.
Bytes InHalfBytes(const Bytes& bytes, size_t columns, size_t stored, bool high_first = false) {
  Bytes halves, packed;
  for (size_t i = 0; i < bytes.size(); ++i) {
    halves.push_back((bytes[i] + 8U) & 15U);
    if (i % columns == columns - 1) halves.insert(halves.end(), stored - columns, 8);
  }
  for (size_t i = 0; i < halves.size(); i += 2) {
    const unsigned low = halves[i + (high_first ? 1 : 0)], high = halves[i + (high_first ? 0 : 1)];
    packed.push_back(static_cast<uint8_t>(low | high << 4));
  }
  return packed;
}

TEST(Names, OfNumbersPackedIntoHalfBytesAreFound) {
  const auto is_found = [](size_t columns, const Bytes& bytes, const Bytes& stored) {
    const Container file = WithConstant(stored, {0, {static_cast<int32_t>(stored.size())}, {0}});
    return NamesOf(Named(file, {Content("int4", bytes, {bytes.size() / columns, columns})})) == Names{"int4"};
  };
  Bytes bytes;
  for (int i = 0; i < 280; ++i) bytes.push_back(static_cast<uint8_t>(i % 16 - 8));
  EXPECT_TRUE(is_found(40, bytes, InHalfBytes(bytes, 40, 40)));
  EXPECT_TRUE(is_found(35, bytes, InHalfBytes(bytes, 35, 36))) << "XNNPACK makes rows even";
  EXPECT_TRUE(is_found(28, bytes, InHalfBytes(bytes, 28, 32))) << "Vulkan makes them multiples of 8";
  EXPECT_TRUE(is_found(28, bytes, InHalfBytes(bytes, 28, 28, true))) << "as in tables of embeddings";
  EXPECT_FALSE(is_found(28, bytes, InHalfBytes(bytes, 28, 36)));
  Bytes too_large = bytes;
  too_large[279] = 8;
  EXPECT_FALSE(is_found(40, too_large, InHalfBytes(too_large, 40, 40)));
}

ContentName Floats(const std::string& dtype, const Bytes& bytes, const std::vector<uint64_t>& sizes) {
  ContentName content = Content("w", bytes, sizes);
  content.dtype = dtype;
  return content;
}

TEST(Names, OfACheckpointInAnotherElementTypeAreFound) {
  Bytes bfloats, floats, transposed;  // 1 to 64, of which the program has 8 rows of 8
  const auto add = [](int number, size_t skipped, Bytes& bytes) {
    const auto bits = std::bit_cast<uint32_t>(static_cast<float>(number));
    for (size_t i = skipped; i < sizeof(bits); ++i) bytes.push_back(static_cast<uint8_t>(bits >> 8 * i));
  };
  for (int i = 0; i < 64; ++i) {
    add(1 + i, 2, bfloats);
    add(1 + i, 0, floats);
    add(1 + i % 8 * 8 + i / 8, 0, transposed);
  }
  const Container wide = WithConstant(floats, {6, {8, 8}, {0, 1}}),
                  narrow = WithConstant(bfloats, {15, {8, 8}, {0, 1}}),
                  other_way = WithConstant(transposed, {6, {8, 8}, {0, 1}});
  EXPECT_EQ(NamesOf(Named(wide, {Floats("bfloat16", bfloats, {8, 8})})), (Names{"w"}));
  EXPECT_EQ(NamesOf(Named(other_way, {Floats("bfloat16", bfloats, {8, 8})})), (Names{"w"}));
  EXPECT_EQ(NamesOf(Named(narrow, {Floats("float32", floats, {8, 8})})), (Names{"w"}));
  EXPECT_EQ(NamesOf(Named(wide, {Floats("uint16", bfloats, {8, 8})})), (Names{"forward.constant_0"}));
  const auto kept = *HashContentNames({Floats("bfloat16", bfloats, {8, 8})});
  EXPECT_EQ(NamesOf(Named(other_way, kept)), (Names{"w"}));
}

TEST(Names, OfWhatIsStoredAsItIsComeBeforeThoseOfConvertedNumbers) {
  const Container file = WithConstant(Bytes(96), kMatrix);
  ContentName half = Floats("float16", Bytes(48), {24});
  half.name = "converted";
  EXPECT_EQ(NamesOf(Named(file, {half, Content("plain", Bytes(96), {24})})), (Names{"plain"}));
  EXPECT_EQ(NamesOf(Named(file, {half})), (Names{"converted"}));
}

TEST(Names, OfSmallConvertedContentsNeedEqualSizes) {
  const Container file = WithConstant(Bytes(40), {5, {20}, {0}});
  EXPECT_EQ(NamesOf(Named(file, {Floats("float32", Bytes(80), {4, 5})})), (Names{"forward.constant_0"}));
  EXPECT_EQ(NamesOf(Named(file, {Floats("float32", Bytes(80), {20})})), (Names{"w"}));
}

TEST(Names, OfWeightsInBlobsAreFoundAndCounted) {
  const Container file = test::OpenFile(test::DataPath("old/0.4.0_xnn.pte"));
  const std::vector<DelegateDescription> delegates = *DescribeDelegates(file);
  const Extent in_blob = delegates.at(0).contents->constants.at(0).extent;
  Bytes bytes(in_blob.size);
  ASSERT_TRUE(file.source()->Read(delegates[0].blob.offset + in_blob.offset, {bytes.data(), bytes.size()}));
  const Container named = Named(file, {Content("fc.weight", bytes, {8, 8})}), other = Named(file, {});
  const SizeNode sizes = *MeasureSizes(named, {/*look_inside=*/true});
  const SizeNode* row = FindComponent(sizes, "fc.weight");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->size, bytes.size());
  EXPECT_EQ(row->module(), "fc");
  EXPECT_EQ(DescribeDelegates(named)->at(0).contents->constants[0].name, "fc.weight");
  EXPECT_EQ(CountNames(other).unnamed_bytes, CountNames(named).unnamed_bytes + bytes.size());
}

TEST(Names, OfSmallContentsNeedEqualSizes) {
  const Container file = WithConstant(Bytes(8), {4, {1}, {0}});
  EXPECT_EQ(NamesOf(Named(file, {Content("other", Bytes(8), {2})})), (Names{"forward.constant_0"}));
  EXPECT_EQ(NamesOf(Named(file, {Content("other", Bytes(8), {2}), Content("count", Bytes(8), {1})})), (Names{"count"}));
  EXPECT_EQ(NamesOf(Named(WithConstant(Bytes(32), {6, {1, 8, 1}, {0, 1, 2}}), {Content("bias", Bytes(32), {8})})),
            (Names{"bias"}));
}

TEST(Names, OfManyEqualContentsAreTheFirstEight) {
  std::vector<ContentName> contents;
  for (int i = 0; i < 1000; ++i) contents.push_back(Content("zeros." + std::to_string(i), Bytes(96), {24}));
  const Names names = NamesOf(Named(WithConstant(Bytes(96)), contents));
  ASSERT_EQ(names.size(), 8U);
  EXPECT_EQ(names[7], "zeros.7");
}

TEST(Names, BeyondTheLimitsOfTheFileAreRefused) {
  const std::vector<ContentName> contents{Content(std::string(5 << 20, 'n'), Counting(96), {96})};
  const Result<Container> named = ContentNames(contents).Name(WithConstant(Counting(96)));
  ASSERT_FALSE(named);
  EXPECT_EQ(named.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(named.error().message.find("names of contents"), std::string::npos) << named.error().message;
}

TEST(Names, OfKeysAreFoundByTheHashThatTheyAre) {
  const std::string key = HashOf(Counting(96)), scale = "scale_" + HashOf(Bytes(8, 1));
  const Container file =
      test::ProgramBuilder().Method("forward").NamedData(key, Counting(96)).NamedData(scale, Bytes(8, 1)).Open();
  const Container named = Named(file, {{"fc.weight", 96, key, {}}, {"fc.scale", 8, HashOf(Bytes(8, 1)), {}}});
  const SizeNode sizes = *MeasureSizes(named);
  const SizeNode* row = FindComponent(sizes, "fc.weight");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->more->aliases, (Names{key}));
  EXPECT_EQ(FindComponent(sizes, key), row);
  EXPECT_EQ(Describe(named).named_data[1].names, (Names{"fc.scale"}));
}

TEST(Names, ThatKeysBeginWithNeedNoCheckpoint) {
  const std::string key = "p_fc_weight_" + HashOf(Counting(96));
  const Container file = test::ProgramBuilder().Method("forward").NamedData(key, Counting(96)).Open();
  EXPECT_EQ(NamesOfKey(file, key), (Names{"p_fc_weight"}));
  EXPECT_EQ(NamesOfKey(file, HashOf(Counting(96))), Names());
  EXPECT_EQ(CountNames(file).unnamed, 0U);
}

TEST(Names, AreCountedByContents) {
  const Container file = test::ProgramBuilder()
                             .Method("forward")
                             .Constant(kMatrix, Counting(96))
                             .Constant(kMatrix, Counting(96, 7))
                             .NamedData(HashOf(Bytes(5)), Bytes(5))
                             .NamedData("fc.bias", Bytes(5))
                             .Open();
  const NameCount count = CountNames(Named(file, {Content("a", Counting(96), {96})}));
  EXPECT_EQ(count.contents, 4U);
  EXPECT_EQ(count.unnamed, 2U);
  EXPECT_EQ(count.unnamed_bytes, 101U);
}

TEST(Names, OfACheckpointDoNotChangeListsOfHashes) {
  const Container file = test::ProgramBuilder()
                             .Method("forward")
                             .Constant(kMatrix, Counting(96))
                             .NamedData("p_fc_" + HashOf(Counting(96)), Counting(96))
                             .Open();
  const auto plain = HashContents(file, HashKind::kXxh3);
  const auto named = HashContents(Named(file, {Content("a", Counting(96), {96})}), HashKind::kXxh3);
  ASSERT_TRUE(plain && named);
  ASSERT_EQ(plain->size(), named->size());
  for (size_t i = 0; i < plain->size(); ++i) EXPECT_EQ((*plain)[i].name, (*named)[i].name);
  EXPECT_EQ((*plain)[2].name.substr(0, 5), "p_fc_");
}

TEST(Names, AreTheSameWithAnyNumberOfThreads) {
  const Container file = test::OpenFile(test::DataPath("names/layers_xnnpack.pte"));
  const auto contents = *ReadSafetensors(*OpenFileSource(test::DataPath("names/layers.safetensors")));
  for (const unsigned threads : {1U, 4U}) {
    const ContentNames names(contents);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(CountNames(*names.Name(file, threads)).unnamed, 0U);
  }
}

TEST(Names, KeptAsHashesFindTheSame) {
  const Container file = test::OpenFile(test::DataPath("names/layers_xnnpack.pte"));
  const auto contents = *ReadSafetensors(*OpenFileSource(test::DataPath("names/layers.safetensors")));
  const auto hashed = *HashContentNames(contents, 2);
  const auto with = Describe(*ContentNames(contents).Name(file)).named_data;
  const auto without = Describe(*ContentNames(hashed).Name(file)).named_data;
  for (size_t i = 0; i < with.size(); ++i) EXPECT_EQ(with[i].names, without[i].names);
}

}  // namespace
}  // namespace pteedit::names_test
