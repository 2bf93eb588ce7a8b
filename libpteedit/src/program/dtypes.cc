#include "pteedit/dtypes.h"

#include <map>

#include "base/text.h"

namespace pteedit {
namespace {

struct Spellings {
  std::string_view common;
  std::string_view others;  // in lower case, each between blanks
};

// All that decoders give, and what tables and users may have beside it.
constexpr Spellings kSpellings[] = {
    {"float64", " fp64 f64 double vk_format_r64_sfloat "},
    {"float32", " fp32 f32 float pfp32 vk_format_r32_sfloat "},
    {"float16", " fp16 f16 half vk_format_r16_sfloat "},
    {"bfloat16", " bf16 "},
    {"float8_e4m3fn", " fp8e4m3 fp8e4m3fn f8e4m3 "},
    {"float8_e5m2", " fp8e5m2 f8e5m2 "},
    {"float8_e8m0fnu", " fp8ue8m0 f8e8m0 "},
    {"float6_e2m3fn", " fp6e2m3 "},
    {"float6_e3m2fn", " fp6e3m2 "},
    {"float4_e2m1fn", " fp4e2m1 f4e2m1 "},
    {"complex64", " complex_float32 "},
    {"complex32", " complex_float16 "},
    {"int64", " i64 long shape vk_format_r64_sint "},
    {"int48", " "},
    {"int32", " i32 int qint32 qcint32 vk_format_r32_sint "},
    {"int16", " i16 short vk_format_r16_sint vk_format_r16_snorm "},
    {"int8", " i8 char qint8 qcint8 qdint8 qpint8 mxint8 vk_format_r8_sint vk_format_r8_snorm "},
    {"int4", " i4 qcint4 qbint4 "},
    {"uint64", " u64 vk_format_r64_uint "},
    {"uint32", " u32 vk_format_r32_uint "},
    {"uint16", " u16 vk_format_r16_uint vk_format_r16_unorm "},
    {"uint8", " u8 byte quint8 vk_format_r8_uint vk_format_r8_unorm "},
    {"uint6", " u6 "},
    {"uint4", " u4 quint4x2 "},
    {"uint3", " u3 "},
    {"uint2", " u2 quint2x4 "},
    {"uint1", " u1 "},
    {"bool", " boolean vk_format_r8_bool_arm "},
};

std::map<std::string_view, std::string_view> CommonBySpelling() {
  std::map<std::string_view, std::string_view> common;
  for (const Spellings& row : kSpellings) {
    common.emplace(row.common, row.common);
    std::string_view rest = row.others.substr(1);
    for (; !rest.empty(); rest.remove_prefix(rest.find(' ') + 1))
      common.emplace(rest.substr(0, rest.find(' ')), row.common);
  }
  return common;
}

}  // namespace

std::string CommonDtype(std::string_view dtype) {
  static const std::map<std::string_view, std::string_view> kCommon = CommonBySpelling();
  const auto found = kCommon.find(LowerCase(dtype));
  return std::string(found == kCommon.end() ? dtype : found->second);
}

}  // namespace pteedit
