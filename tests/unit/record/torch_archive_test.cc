#include "record/torch_archive.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include "io/strided_source.h"
#include "pteedit/container.h"
#include "test_files.h"
#include "zip_builder.h"

namespace pteedit::torch_archive_test {
namespace {

using test::DataPath;
using test::ZipBuilder;
using test::ZipTestEntry;
using Kind = DebugValue::Kind;
using namespace std::string_literals;

TorchValues Saved(const std::string& name) {
  Result<TorchValues> values = ReadTorchArchive(*OpenFileSource(DataPath("torch/" + name)));
  EXPECT_TRUE(values) << (values ? "" : values.error().message);
  return values ? *std::move(values) : TorchValues();
}

std::string WhyRefused(const std::shared_ptr<const Source>& source, ErrorCode code) {
  const Result<TorchValues> values = ReadTorchArchive(source);
  EXPECT_FALSE(values);
  if (values) return "";
  EXPECT_EQ(values.error().code, code) << values.error().message;
  return values.error().message;
}

// The outputs of the first input of the first method.
const std::vector<DebugValue>& Outputs(const TorchValues& values) { return values.entries[0].second.items[0].items; }

std::vector<double> Reals(const DebugValue& value) { return ReadElements(value.tensor, 64)->reals; }

ZipTestEntry Stored(const std::string& name, const std::string& bytes) {
  const uLong checksum = crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  return {name, bytes, static_cast<uint32_t>(checksum), 0, 0, 0};
}

// A pickle, and one storage "0" of 16 bytes.
std::shared_ptr<const Source> ArchiveOf(const std::string& pickle) {
  return MakeMemorySource("a.pt",
                          ZipBuilder().Build({Stored("a/data.pkl", pickle), Stored("a/data/0", "0123456789abcdef")}));
}

std::string IntText(int32_t number) {
  std::string text = "J";
  for (int shift = 0; shift < 32; shift += 8) text += static_cast<char>(static_cast<uint32_t>(number) >> shift & 0xff);
  return text;
}

std::string TupleText(const std::vector<int32_t>& numbers) {
  std::string text = "(";
  for (const int32_t number : numbers) text += IntText(number);
  return text + "t";
}

// A float32 tensor in storage "0".
std::string TensorText(int32_t offset, const std::vector<int32_t>& sizes, const std::vector<int32_t>& strides) {
  return "ctorch._utils\n_rebuild_tensor_v2\n((X\x07\x00\x00\x00storagectorch\nFloatStorage\n"s +
         "X\x01\x00\x00\x00"
         "0X\x03\x00\x00\x00"
         "cpuK\x04tQ"s +
         IntText(offset) + TupleText(sizes) + TupleText(strides) +
         "\x89"
         "ccollections\nOrderedDict\n)RtR";
}

std::shared_ptr<const Source> ArchiveOf(int32_t offset, const std::vector<int32_t>& sizes,
                                        const std::vector<int32_t>& strides) {
  return ArchiveOf("](" + TensorText(offset, sizes, strides) + "e.");
}

TEST(TorchArchive, ReadsEachElementType) {
  const TorchValues values = Saved("types.pt");
  ASSERT_TRUE(values.is_dict);
  EXPECT_EQ(values.entries[0].first, "forward");
  const std::vector<std::string> types{"uint8",    "int8",    "int16",   "int32", "int64",  "float16",
                                       "bfloat16", "float32", "float64", "bool",  "uint16", "uint32"};
  ASSERT_EQ(Outputs(values).size(), types.size());
  for (size_t i = 0; i < types.size(); ++i) {
    const TensorValue& tensor = Outputs(values)[i].tensor;
    EXPECT_EQ(ScalarTypeName(tensor.scalar_type), types[i]);
    const TensorElements elements = *ReadElements(tensor, 3);
    if (elements.reals.empty()) {
      EXPECT_EQ(elements.numbers, (std::vector<int64_t>{1, 0, 1})) << types[i];
    } else {
      EXPECT_EQ(elements.reals, (std::vector<double>{1, 0, 1})) << types[i];
    }
  }
}

TEST(TorchArchive, GathersViewsOfOneStorage) {
  const TorchValues values = Saved("views.pt");
  const std::vector<DebugValue>& views = Outputs(values);
  ASSERT_EQ(views.size(), 8U);
  EXPECT_EQ(Reals(views[0]), (std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(views[1].tensor.sizes, (std::vector<int64_t>{4, 3}));
  EXPECT_EQ(Reals(views[1]), (std::vector<double>{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}));
  EXPECT_EQ(Reals(views[2]), (std::vector<double>{4, 5, 6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(Reals(views[3]), (std::vector<double>{1, 5, 9}));
  EXPECT_EQ(Reals(views[4]), (std::vector<double>{6}));
  EXPECT_EQ(views[5].tensor.bytes, 0U);
  EXPECT_EQ(Reals(views[6]), (std::vector<double>{7, 7, 7, 7, 7, 7}));
  EXPECT_EQ(Reals(views[7]), (std::vector<double>{0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11}));
}

TEST(TorchArchive, ReadsMethodsInputsAndScalars) {
  const TorchValues values = Saved("methods.pt");
  ASSERT_EQ(values.entries.size(), 2U);
  EXPECT_EQ(values.entries[0].second.items.size(), 2U);
  EXPECT_EQ(values.entries[1].first, "decode");
  const std::vector<DebugValue>& outputs = values.entries[1].second.items[0].items;
  EXPECT_EQ(outputs[1].real, 5.5);
  EXPECT_EQ(outputs[2].kind, Kind::kBool);
  EXPECT_EQ(outputs[3].kind, Kind::kNone);
  EXPECT_EQ(outputs[4].text, "text");
  EXPECT_EQ(outputs[5].number, -(int64_t{1} << 40));
  EXPECT_EQ(outputs[6].items[1].number, 7);
  EXPECT_FALSE(Saved("inputs.pt").is_dict);
}

TEST(TorchArchive, ReadsParametersAndTensorsWithAttributes) {
  const std::string tensor = TensorText(1, {2}, {1});
  const std::string arguments = tensor.substr(tensor.find('('));  // of the function before it
  const std::string with_attributes =
      "ctorch._tensor\n_rebuild_from_type_v2\n(ctorch._utils\n_rebuild_tensor_v2\nctorch\nTensor\n"s +
      arguments.substr(0, arguments.size() - 1) + "}tR";
  for (const std::string& inner : {tensor, with_attributes}) {
    const auto values = ReadTorchArchive(ArchiveOf("](ctorch._utils\n_rebuild_parameter\n(" + inner + "\x88NtRe."));
    ASSERT_TRUE(values) << values.error().message;
    EXPECT_EQ(values->entries[0].second.items[0].tensor.sizes, (std::vector<int64_t>{2}));
  }
  EXPECT_EQ(WhyRefused(ArchiveOf("](ctorch._utils\n_rebuild_parameter\n(K\x01\x88NtRe."), ErrorCode::kMalformed),
            "pickle calls for something that is no tensor");
}

TEST(TorchArchive, ComplexNumbersAreKeptAndNotRead) {
  const TorchValues values = Saved("complex.pt");
  const DebugValue* value = &values.entries[0].second;
  while (value->kind == Kind::kList) value = &value->items[0];
  EXPECT_EQ(ScalarTypeName(value->tensor.scalar_type), "complex64");
  const TensorStatistics statistics = *StatisticsOf(value->tensor);
  EXPECT_EQ(8 * statistics.elements, value->tensor.bytes);
  EXPECT_FALSE(statistics.mean);
  EXPECT_TRUE(ReadElements(value->tensor, 64)->reals.empty());
}

TEST(TorchArchive, DictionariesMayBeAnywhere) {
  const TorchValues values = *ReadTorchArchive(ArchiveOf("]}X\x01\x00\x00\x00kK\x07s\x61."s));
  const DebugValue& dict = values.entries[0].second.items[0];
  EXPECT_EQ(dict.kind, Kind::kDict);
  EXPECT_EQ(dict.keys, std::vector<std::string>{"k"});
  EXPECT_EQ(dict.items[0].number, 7);
}

TEST(TorchArchive, NothingIsCalled) {
  const auto open = [](const char* name) { return *OpenFileSource(DataPath(std::string("torch/") + name)); };
  EXPECT_EQ(WhyRefused(open("evil.pt"), ErrorCode::kUnsupported),
            "pickle asks for 'posix.system' at byte 25, which tensors do not need");
  EXPECT_NE(WhyRefused(open("negated.pt"), ErrorCode::kUnsupported).find("negated"), std::string::npos);
}

TEST(TorchArchive, TensorsMustLieInsideTheirStorage) {
  EXPECT_TRUE(ReadTorchArchive(ArchiveOf(0, {4}, {1})));
  EXPECT_TRUE(ReadTorchArchive(ArchiveOf(3, {1, 1}, {100, 100})));
  EXPECT_EQ(WhyRefused(ArchiveOf(1, {4}, {1}), ErrorCode::kMalformed),
            "tensor of the pickle ends behind its storage, which has 16 bytes");
  EXPECT_NE(WhyRefused(ArchiveOf(0, {2}, {4}), ErrorCode::kMalformed), "");
  EXPECT_NE(WhyRefused(ArchiveOf(-1, {1}, {1}), ErrorCode::kMalformed), "");
  EXPECT_NE(WhyRefused(ArchiveOf(0, {-1}, {1}), ErrorCode::kMalformed), "");
  EXPECT_NE(WhyRefused(ArchiveOf(0, {2}, {-1}), ErrorCode::kMalformed), "");
  EXPECT_NE(WhyRefused(ArchiveOf(0, {2, 2}, {1}), ErrorCode::kMalformed), "");
  const std::vector<int32_t> giant(4, 0x7fffffff);
  EXPECT_NE(WhyRefused(ArchiveOf(0, giant, giant), ErrorCode::kMalformed), "");
  EXPECT_NE(WhyRefused(ArchiveOf(0, giant, {0, 0, 0, 0}), ErrorCode::kMalformed), "");
  EXPECT_NE(WhyRefused(ArchiveOf(0, std::vector<int32_t>(65, 1), std::vector<int32_t>(65, 1)), ErrorCode::kMalformed),
            "");
}

TEST(TorchArchive, AFewBytesMustNotStandForVeryMany) {
  EXPECT_NE(WhyRefused(ArchiveOf(0, {1 << 30}, {0}), ErrorCode::kUnsupported).find("spread over"), std::string::npos);
  std::string lists = "]q"s + '\0';  // each list holds the one before ten times
  for (int i = 0; i < 12; ++i) {
    std::string inner = "](";
    for (int k = 0; k < 10; ++k) inner += "h"s + static_cast<char>(i);
    lists += inner + "eq" + static_cast<char>(i + 1);
  }
  EXPECT_NE(WhyRefused(ArchiveOf(lists + "."), ErrorCode::kUnsupported).find("more than 100000 values"),
            std::string::npos);
  std::string texts = "](X"s + std::string("\x00\x00\x10\x00", 4) + std::string(1 << 20, 'a') + "q" + '\0';
  for (int i = 0; i < 100; ++i) texts += "h"s + '\0';
  EXPECT_NE(WhyRefused(ArchiveOf(texts + "e."), ErrorCode::kUnsupported).find("repeats its texts"), std::string::npos);
}

TEST(TorchArchive, TensorsMustNotRepeatTheirStorageTooOften) {
  const std::string list = "](" + TensorText(0, {1 << 20}, {0}) + "q" + '\0';
  const auto repeated = [&](int times) {
    std::string pickle = list;
    for (int i = 1; i < times; ++i) pickle += "h"s + '\0';
    return ArchiveOf(pickle + "e.");
  };
  EXPECT_TRUE(ReadTorchArchive(repeated(50)));
  EXPECT_NE(WhyRefused(repeated(100), ErrorCode::kUnsupported).find("repeat their storages"), std::string::npos);
}

TEST(TorchArchive, ListsThatHoldThemselvesAreRefused) {
  EXPECT_NE(WhyRefused(ArchiveOf("]q\x00h\x00\x61."s), ErrorCode::kUnsupported).find("lists in lists"),
            std::string::npos);
  EXPECT_NE(WhyRefused(ArchiveOf("}q\x00X\x01\x00\x00\x00kh\x00s."s), ErrorCode::kUnsupported), "");
}

TEST(TorchArchive, CallsThatMakeNoTensorAreRefused) {
  const std::string rebuild = "ctorch._utils\n_rebuild_tensor_v2\n";
  for (const std::string& pickle :
       {"](ctorch\nFloatStorage\n)Re."s, "](" + rebuild + ")Re.", "](" + rebuild + "(NNNNNNtRe.",
        "](" + rebuild + "(K\x01QK\x01))\x89NtRe.", "](" + rebuild + "((NNNNNtQK\x01))\x89NtRe."})
    EXPECT_NE(WhyRefused(ArchiveOf(pickle), ErrorCode::kMalformed), "") << pickle;
  EXPECT_NE(WhyRefused(ArchiveOf("](ctorch\nFloatStorage\ne."s), ErrorCode::kUnsupported), "");
  EXPECT_NE(WhyRefused(ArchiveOf("}K\x01K\x02s."s), ErrorCode::kUnsupported), "");
}

TEST(TorchArchive, ArchivesOfOtherMachinesAreRefused) {
  const auto archive = ZipBuilder().Build({Stored("a/data.pkl", "]."), Stored("a/byteorder", "big")});
  EXPECT_EQ(WhyRefused(MakeMemorySource("a.pt", archive), ErrorCode::kUnsupported),
            "archive has byte order 'big', 'little' expected");
  EXPECT_NE(WhyRefused(MakeMemorySource("a.pt", ZipBuilder().Build({Stored("a", "")})), ErrorCode::kUnsupported), "");
}

TEST(TorchArchive, EachPrefixIsRefused) {
  const std::vector<uint8_t> whole = test::ReadBytes(DataPath("torch/views.pt"));
  for (size_t size = 0; size < whole.size(); size += 7)
    EXPECT_FALSE(ReadTorchArchive(MakeViewSource("cut.pt", {whole.data(), size}))) << size;
}

TEST(StridedSource, ReadsAnyPart) {
  std::vector<uint8_t> bytes(24);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i);
  const auto source = MakeStridedSource(MakeMemorySource("s", bytes), {2, 1, {3, 2}, {1, 4}});
  ASSERT_TRUE(source);
  const std::vector<uint8_t> expected{2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15};
  ASSERT_EQ((*source)->size(), expected.size());
  for (size_t offset = 0; offset < expected.size(); ++offset) {
    for (size_t size = 0; offset + size <= expected.size(); ++size) {
      std::vector<uint8_t> part(size);
      ASSERT_TRUE((*source)->Read(offset, {part.data(), size}));
      EXPECT_TRUE(std::equal(part.begin(), part.end(), expected.begin() + static_cast<std::ptrdiff_t>(offset)));
    }
  }
}

TEST(StridedSource, ReadsWhatLiesFarApart) {
  const auto far = MakeCallbackSource("far", uint64_t{1} << 40, [](uint64_t offset, MutableByteSpan out) -> Status {
    if (out.size > 1) return Malformed("more than was asked for");
    out.data[0] = offset == 0 ? 1 : offset == uint64_t{1} << 39 ? 2 : 3;
    return {};
  });
  const auto source = MakeStridedSource(far, {1, 0, {2}, {int64_t{1} << 39}});
  ASSERT_TRUE(source);
  std::vector<uint8_t> bytes(2);
  ASSERT_TRUE((*source)->Read(0, {bytes.data(), bytes.size()}));
  EXPECT_EQ(bytes, (std::vector<uint8_t>{1, 2}));
}

}  // namespace
}  // namespace pteedit::torch_archive_test
