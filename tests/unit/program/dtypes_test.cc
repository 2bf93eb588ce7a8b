#include "pteedit/dtypes.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "delegates/native_schema.h"
#include "delegates/tosa_schema.h"
#include "delegates/vulkan_schema.h"
#include "delegates/xnnpack_schema.h"
#include "delegates/xnnpack_types.h"
#include "mps_generated.h"
#include "program/schema.h"
#include "pteedit/container.h"
#include "pteedit/delegates.h"
#include "test_files.h"

namespace pteedit::dtypes_test {
namespace {

const std::set<std::string> kCommon = {
    "float64",       "float32",       "float16",       "bfloat16",  "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu",
    "float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn", "complex64", "complex32",     "int64",       "int48",
    "int32",         "int16",         "int8",          "int4",      "uint64",        "uint32",      "uint16",
    "uint8",         "uint6",         "uint4",         "uint3",     "uint2",         "uint1",       "bool"};

// What says that there is no type.
const std::set<std::string> kNone = {"invalid", "UNSET", "UNKNOWN"};

void ExpectHaveACommonName(const std::vector<std::string>& types) {
  EXPECT_FALSE(types.empty());
  for (const std::string& type : types) {
    EXPECT_TRUE(kNone.count(type) == 1 || kCommon.count(CommonDtype(type)) == 1) << type;
  }
}

template <class Values>
std::vector<std::string> NamesOf(
    const Values& values, const char* (*name_of)(std::remove_const_t<std::remove_reference_t<decltype(values[0])>>),
    size_t prefix = 0) {
  std::vector<std::string> names;
  for (const auto value : values) names.push_back(std::string(name_of(value)).substr(prefix));
  return names;
}

TEST(CommonDtype, IsOneNameForWhatBackendsCallDifferently) {
  for (const char* type : {"fp32", "float32", "f32", "FLOAT", "FP32", "FLOAT32", "VK_FORMAT_R32_SFLOAT"})
    EXPECT_EQ(CommonDtype(type), "float32") << type;
  for (const char* type : {"qint8", "qcint8", "INT8", "i8", "CHAR", "VK_FORMAT_R8_SINT"})
    EXPECT_EQ(CommonDtype(type), "int8") << type;
  EXPECT_EQ(CommonDtype("qbint4"), "int4");
  EXPECT_EQ(CommonDtype("bf16"), "bfloat16");
  EXPECT_EQ(CommonDtype("BYTE"), "uint8");
}

TEST(CommonDtype, IsTheWordItselfWhereNothingIsKnownOfIt) {
  for (const char* type : {"", "Q6_K", "type 99", " "}) EXPECT_EQ(CommonDtype(type), type);
}

TEST(CommonDtype, KnowsEveryTypeThatADecoderGives) {
  using namespace schema;  // NOLINT: the backends' names
  std::vector<std::string> xnnpack;
  for (const XnnpackType type : xnnpack::EnumValuesXNNDatatype()) xnnpack.push_back(XnnpackTypeName(type));
  ExpectHaveACommonName(xnnpack);
  ExpectHaveACommonName(NamesOf(vulkan::EnumValuesVkDataType(), vulkan::EnumNameVkDataType));
  ExpectHaveACommonName(NamesOf(tosa::EnumValuesDType(), tosa::EnumNameDType));
  ExpectHaveACommonName(NamesOf(native::EnumValuesScalarType(), native::EnumNameScalarType));
  ExpectHaveACommonName(NamesOf(mps::EnumValuesMPSDataType(), mps::EnumNameMPSDataType, sizeof("mps_data_type_") - 1));
  ExpectHaveACommonName({"fp16", "fp32", "uint8", "int8", "bf16", "int16", "uint16", "int4", "uint1", "uint2", "uint4",
                         "uint3", "uint6", "int32", "uint32", "fp8e4m3fn", "fp8e5m2"});  // Core ML
  ExpectHaveACommonName({"f64", "f32", "f16",     "bf16",   "i64",    "i32",    "i16",   "i8",
                         "i4",  "u64", "u32",     "u16",    "u8",     "u6",     "u4",    "u3",
                         "u2",  "u1",  "boolean", "f8e4m3", "f8e5m2", "f8e8m0", "f4e2m1"});  // OpenVINO
  for (const char* format :
       {"R8_UNORM", "R8_SNORM", "R8_UINT", "R8_SINT", "R16_UNORM", "R16_SNORM", "R16_UINT", "R16_SINT", "R16_SFLOAT",
        "R32_UINT", "R32_SINT", "R32_SFLOAT", "R64_UINT", "R64_SINT", "R64_SFLOAT", "R8_BOOL_ARM"})
    ExpectHaveACommonName({std::string("VK_FORMAT_") + format});  // VGF
}

TEST(CommonDtype, KnowsTheTypesOfAllRealBlobs) {
  size_t count = 0;
  for (const std::string& path : test::AllModelFiles()) {
    const auto delegates = DescribeDelegates(test::OpenFile(path));
    ASSERT_TRUE(delegates) << path;
    for (const DelegateDescription& delegate : *delegates) {
      for (const BlobConstant& constant : delegate.contents->constants) {
        EXPECT_TRUE(constant.dtype.empty() || kCommon.count(CommonDtype(constant.dtype)) == 1)
            << path << constant.dtype;
        ++count;
      }
    }
  }
  EXPECT_GT(count, 100U);
}

// Tensors are called so already; of what is stored alike there is one.
TEST(CommonDtype, KeepsTheNamesOfTensors) {
  for (const schema::ScalarType type : schema::EnumValuesScalarType()) {
    const std::string name = ScalarTypeName(static_cast<int8_t>(type));
    EXPECT_EQ(CommonDtype(CommonDtype(name)), CommonDtype(name));
    EXPECT_TRUE(kCommon.count(name) == 0 || CommonDtype(name) == name) << name;
  }
}

}  // namespace
}  // namespace pteedit::dtypes_test
