// Processed blobs with their compile specs, to decode and to damage. Needs the library's private parts.
#ifndef PTEEDIT_TESTS_SUPPORT_TEST_BLOBS_H_
#define PTEEDIT_TESTS_SUPPORT_TEST_BLOBS_H_

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/checked.h"
#include "decoded_blobs.h"
#include "delegates/decoder.h"
#include "program/constants.h"
#include "program/container_state.h"
#include "test_files.h"

namespace pteedit::test {

struct TestBlob {
  std::vector<uint8_t> bytes;
  std::vector<std::pair<std::string, std::string>> specs;  // key and value
};

// That of the first delegate of `backend` in tests/data/<name>.
inline TestBlob BlobOfFile(const std::string& name, std::string_view backend) {
  const Container file = OpenFile(DataPath(name));
  for (const schema::ExecutionPlan* plan : OrEmpty(file.state().program_root().execution_plan())) {
    for (const schema::BackendDelegate* delegate : OrEmpty(plan->delegates())) {
      if (ViewOf(delegate->id()) != backend) continue;
      const Extent extent = BlobExtent(file, *delegate);
      TestBlob blob{std::vector<uint8_t>(extent.size), {}};
      EXPECT_TRUE(file.source()->Read(extent.offset, {blob.bytes.data(), blob.bytes.size()}));
      for (const schema::CompileSpec* spec : OrEmpty(delegate->compile_specs())) {
        const auto& value = OrEmpty(spec->value());
        blob.specs.emplace_back(ViewOf(spec->key()), std::string(value.begin(), value.end()));
      }
      return blob;
    }
  }
  ADD_FAILURE() << name << " has no delegate of " << backend;
  return {};
}

inline Result<DecodedBlob> DecodeWith(std::string_view backend, const TestBlob& blob,
                                      const ProgramSet* named = nullptr) {
  const Decoder* decoder = FindDecoder(backend);
  if (decoder == nullptr) return InvalidArgument("no decoder of " + std::string(backend));
  BlobInput input{MakeViewSource("blob", {blob.bytes.data(), blob.bytes.size()}), {0, blob.bytes.size()}, {}, named};
  for (const auto& [key, value] : blob.specs) {
    input.compile_specs.push_back({key, {reinterpret_cast<const uint8_t*>(value.data()), value.size()}});
  }
  return decoder->decode(input);
}

// Fails the test where the blob is none that the decoder knows.
inline DecodedBlob Decoded(std::string_view backend, const TestBlob& blob, const ProgramSet* named = nullptr) {
  Result<DecodedBlob> decoded = DecodeWith(backend, blob, named);
  EXPECT_TRUE(decoded) << (decoded ? "" : decoded.error().message);
  return decoded ? *std::move(decoded) : DecodedBlob();
}

// Why the blob stays opaque, "" where it does not.
inline std::string WhyOpaque(std::string_view backend, const TestBlob& blob, const ProgramSet* named = nullptr) {
  const Result<DecodedBlob> decoded = DecodeWith(backend, blob, named);
  if (decoded) return "";
  EXPECT_EQ(decoded.error().code, ErrorCode::kUnsupported) << decoded.error().message;
  return decoded.error().message;
}

// Every prefix of the blob, and whatever one byte says instead, is told part by part or opaque. A larger `step` leaves
// the bytes between out.
inline void ExpectSurvivesDamage(std::string_view backend, const TestBlob& blob, size_t step = 1,
                                 const ProgramSet* named = nullptr) {
  const auto check = [&](const TestBlob& damaged) {
    const Result<DecodedBlob> decoded = DecodeWith(backend, damaged, named);
    if (decoded) {
      ExpectIsWhole(*decoded, damaged.bytes.size());
    } else {
      EXPECT_EQ(decoded.error().code, ErrorCode::kUnsupported) << decoded.error().message;
      EXPECT_NE(decoded.error().message, "");
    }
  };
  TestBlob damaged = blob;
  for (size_t i = 0; i < blob.bytes.size(); i += step) {
    for (const int change : {0x01, 0x80, 0xFF}) {
      damaged.bytes[i] = static_cast<uint8_t>(blob.bytes[i] ^ change);
      check(damaged);
    }
    damaged.bytes[i] = blob.bytes[i];
  }
  for (size_t size = blob.bytes.size() - 1; size >= step; size -= step) {
    damaged.bytes.resize(size);
    check(damaged);
  }
}

inline std::string FactOf(const DecodedBlob& decoded, std::string_view name) {
  for (const BlobFact& fact : decoded.facts) {
    if (fact.name == name) return fact.value;
  }
  return "";
}

// "name key dtype [sizes] bytes @offset" for each constant.
inline std::vector<std::string> ConstantWords(const DecodedBlob& decoded) {
  std::vector<std::string> words;
  for (const BlobConstant& constant : decoded.constants) {
    std::string sizes;
    for (const uint64_t size : constant.sizes) sizes += (sizes.empty() ? "" : ",") + std::to_string(size);
    words.push_back(constant.name + " " + constant.key + " " + constant.dtype + " [" + sizes + "] " +
                    std::to_string(constant.bytes) + " @" + std::to_string(constant.extent.offset));
  }
  return words;
}

// "name offset size" for each part.
inline std::vector<std::string> PartWords(const DecodedBlob& decoded) {
  std::vector<std::string> words;
  for (const BlobPart& part : decoded.parts) {
    words.push_back(part.name + " " + std::to_string(part.extent.offset) + " " + std::to_string(part.extent.size));
  }
  return words;
}

// What the independent decoder found in the first delegate of tests/data/<name>.
inline nlohmann::json ExpectedBlob(const std::string& name) {
  const std::vector<uint8_t> text = ReadBytes(DataPath(name));
  return nlohmann::json::parse(text.begin(), text.end()).at("plans").at(0).at("delegates").at(0).at("decoded");
}

template <class T>
void Append(std::vector<uint8_t>& bytes, T value) {
  const auto* raw = reinterpret_cast<const uint8_t*>(&value);
  bytes.insert(bytes.end(), raw, raw + sizeof(value));
}

inline void AppendText(std::vector<uint8_t>& bytes, std::string_view text) {
  bytes.insert(bytes.end(), text.begin(), text.end());
}

}  // namespace pteedit::test

#endif  // PTEEDIT_TESTS_SUPPORT_TEST_BLOBS_H_
