// What tests of the work of operators in blobs share. Needs the library's private parts.
#ifndef PTEEDIT_TESTS_SUPPORT_MEASURED_BLOBS_H_
#define PTEEDIT_TESTS_SUPPORT_MEASURED_BLOBS_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "delegates/decoder.h"

namespace pteedit::test {

using MeasureFunction = Result<std::vector<OperatorWork>> (*)(const BlobInput& input);

inline std::vector<OperatorWork> Measure(MeasureFunction measure, const std::vector<uint8_t>& blob) {
  const auto source = MakeViewSource("blob", {blob.data(), blob.size()});
  Result<std::vector<OperatorWork>> work = measure({source, {0, blob.size()}, {}, nullptr});
  EXPECT_TRUE(work) << (work ? "" : work.error().message);
  return work ? *std::move(work) : std::vector<OperatorWork>();
}

// Whatever is changed in a blob, it says something or refuses, and of as many operators as are told. A larger `step`
// leaves the bytes between out.
inline void ExpectMeasuresDamage(const Decoder& decoder, const std::vector<uint8_t>& blob, size_t step = 1) {
  std::vector<uint8_t> damaged = blob;
  for (size_t i = 0; i < blob.size(); i += step) {
    for (const int change : {0x01, 0x40, 0x80, 0xFF}) {
      damaged[i] = static_cast<uint8_t>(blob[i] ^ change);
      const BlobInput input{MakeViewSource("blob", {damaged.data(), damaged.size()}), {0, damaged.size()}, {}, nullptr};
      const Result<std::vector<OperatorWork>> work = decoder.measure(input);
      const Result<DecodedBlob> decoded = decoder.decode(input);
      if (!work) {
        ASSERT_EQ(work.error().code, ErrorCode::kUnsupported) << i;
        continue;
      }
      if (decoded) {
        ASSERT_EQ(work->size(), decoded->operators.size()) << i;
      }
      for (const OperatorWork& one : *work) ASSERT_EQ(one.macs && one.bytes, *one.why_unknown == '\0') << i;
    }
    damaged[i] = blob[i];
  }
}

}  // namespace pteedit::test

#endif  // PTEEDIT_TESTS_SUPPORT_MEASURED_BLOBS_H_
