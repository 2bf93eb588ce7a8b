// What tests of decoders share: processed blobs of real files, and that damage never gives more than an error.
#ifndef PTEEDIT_TESTS_SUPPORT_DECODED_BLOBS_H_
#define PTEEDIT_TESTS_SUPPORT_DECODED_BLOBS_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "delegates/decoder.h"
#include "program/constants.h"
#include "program/container_state.h"
#include "test_files.h"

namespace pteedit::test {

using DecodeFunction = Result<DecodedBlob> (*)(const BlobInput& input);
using Names = std::vector<std::string>;
using Sizes = std::vector<uint64_t>;

// Of every delegate of this backend.
inline std::vector<std::vector<uint8_t>> BlobsOf(const Container& file, std::string_view backend) {
  std::vector<std::vector<uint8_t>> blobs;
  if (file.kind() == FileKind::kData) return blobs;
  const Container& program = file.kind() == FileKind::kBundle ? *file.program() : file;
  for (const schema::ExecutionPlan* plan : OrEmpty(program.state().program_root().execution_plan())) {
    for (const schema::BackendDelegate* delegate : OrEmpty(plan->delegates())) {
      if (ViewOf(delegate->id()) != backend) continue;
      const Extent extent = BlobExtent(program, *delegate);
      blobs.emplace_back(extent.size);
      EXPECT_TRUE(program.source()->Read(extent.offset, {blobs.back().data(), blobs.back().size()}));
    }
  }
  return blobs;
}

// Of a file in tests/data.
inline std::vector<uint8_t> FirstBlob(const std::string& name, std::string_view backend) {
  const auto blobs = BlobsOf(OpenFile(DataPath(name)), backend);
  EXPECT_FALSE(blobs.empty()) << name;
  return blobs.empty() ? std::vector<uint8_t>() : blobs[0];
}

inline Result<DecodedBlob> TryDecode(DecodeFunction decode, const std::vector<uint8_t>& blob) {
  const auto source = MakeViewSource("blob", {blob.data(), blob.size()});
  return decode({source, {0, blob.size()}, {}, nullptr});
}

inline DecodedBlob Decode(DecodeFunction decode, const std::vector<uint8_t>& blob) {
  Result<DecodedBlob> decoded = TryDecode(decode, blob);
  EXPECT_TRUE(decoded) << (decoded ? "" : decoded.error().message);
  return decoded ? *decoded : DecodedBlob();
}

// The message; "" where it can be decoded.
inline std::string WhyRefused(DecodeFunction decode, const std::vector<uint8_t>& blob) {
  const Result<DecodedBlob> decoded = TryDecode(decode, blob);
  if (decoded) return "";
  EXPECT_EQ(decoded.error().code, ErrorCode::kUnsupported);
  return decoded.error().message;
}

template <class Edit>
std::string WhyRefusedAfter(DecodeFunction decode, std::vector<uint8_t> blob, Edit edit) {
  edit(blob);
  return WhyRefused(decode, blob);
}

inline Names WordsOf(const std::vector<Finding>& findings) {
  Names words;
  for (const Finding& finding : findings) {
    words.push_back(finding.id + (finding.severity == Severity::kWarning ? " (warning): " : ": ") + finding.where +
                    ": " + finding.message);
  }
  return words;
}

inline Names PartsOf(const DecodedBlob& decoded) {
  Names words;
  for (const BlobPart& part : decoded.parts)
    words.push_back(part.name + " " + std::to_string(part.extent.offset) + "+" + std::to_string(part.extent.size));
  return words;
}

inline Names FactsOf(const DecodedBlob& decoded) {
  Names words;
  for (const BlobFact& fact : decoded.facts) words.push_back(fact.name + "=" + fact.value);
  return words;
}

// Each operator with the names of the constants that it reads; nothing where the decoder does not tell.
inline Names ReadsOf(const DecodedBlob& decoded) {
  Names words;
  for (size_t i = 0; i < decoded.operator_constants.size(); ++i) {
    words.push_back(decoded.operators[i] + ":");
    for (const size_t constant : decoded.operator_constants[i]) words.back() += " " + decoded.constants[constant].name;
  }
  return words;
}

// What is promised of any blob.
inline void ExpectIsWhole(const DecodedBlob& decoded, uint64_t size) {
  uint64_t end = 0;
  for (const BlobPart& part : decoded.parts) {
    EXPECT_EQ(part.extent.offset, end) << part.name;
    EXPECT_NE(part.extent.size, 0U) << part.name;
    end += part.extent.size;
  }
  EXPECT_EQ(end, size);
  for (const BlobConstant& constant : decoded.constants) {
    EXPECT_TRUE(constant.extent.offset <= size && constant.extent.size <= size - constant.extent.offset);
    const bool is_listed = std::binary_search(decoded.keys.begin(), decoded.keys.end(), constant.key);
    EXPECT_TRUE(constant.key.empty() || is_listed) << constant.key;
  }
  EXPECT_TRUE(std::is_sorted(decoded.keys.begin(), decoded.keys.end()));
  EXPECT_EQ(std::adjacent_find(decoded.keys.begin(), decoded.keys.end()), decoded.keys.end());
}

inline bool IsRefusedOrWhole(DecodeFunction decode, const std::vector<uint8_t>& blob) {
  const Result<DecodedBlob> decoded = TryDecode(decode, blob);
  if (decoded) {
    ExpectIsWhole(*decoded, blob.size());
  } else {
    EXPECT_EQ(decoded.error().code, ErrorCode::kUnsupported);
    EXPECT_NE(decoded.error().message, "");
  }
  return !testing::Test::HasFailure();
}

// Every prefix, and every byte that is no weight changed in four ways.
inline void ExpectSurvivesDamage(DecodeFunction decode, const std::vector<uint8_t>& blob) {
  for (size_t size = 0; size < blob.size(); ++size) {
    const std::vector<uint8_t> cut(blob.begin(), blob.begin() + static_cast<std::ptrdiff_t>(size));
    ASSERT_TRUE(IsRefusedOrWhole(decode, cut)) << "cut to " << size;
  }
  std::vector<bool> is_weight(blob.size());
  for (const BlobConstant& constant : Decode(decode, blob).constants) {
    for (uint64_t i = 0; i < constant.extent.size; ++i) is_weight[constant.extent.offset + i] = true;
  }
  std::vector<uint8_t> damaged = blob;
  for (size_t i = 0; i < blob.size(); ++i) {
    if (is_weight[i]) continue;
    for (const int change : {0x01, 0x40, 0x80, 0xFF}) {
      damaged[i] = static_cast<uint8_t>(blob[i] ^ change);
      ASSERT_TRUE(IsRefusedOrWhole(decode, damaged)) << "byte " << i << " changed by " << change;
    }
    damaged[i] = blob[i];
  }
}

}  // namespace pteedit::test

#endif  // PTEEDIT_TESTS_SUPPORT_DECODED_BLOBS_H_
