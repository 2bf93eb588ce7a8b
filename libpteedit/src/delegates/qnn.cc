#include "delegates/qnn.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/checked.h"
#include "base/text.h"
#include "delegates/blob_reader.h"
#include "delegates/compile_specs.h"
#include "pteedit/try.h"
#include "qnn_options_generated.h"

namespace pteedit {
namespace {

constexpr uint32_t kContextMagic = 0x5678ABCD, kGraphMagic = 0x1234ABCD;
constexpr uint64_t kContextHeadBytes = 20;   // magic, signature, size
constexpr uint64_t kContextAlignedAt = 256;  // where the context begins in later releases
constexpr uint64_t kGraphHeadBytes = 16;     // magic, two sizes
constexpr uint64_t kMaxSoughtBytes = uint64_t{16} << 20;
constexpr uint64_t kQnnPieceBytes = uint64_t{1} << 16;
constexpr size_t kMaxNames = 4096;
constexpr size_t kShortestName = 4, kLongestName = 200;
constexpr size_t kShortestOptions = 8;  // of a flatbuffer
constexpr size_t kQnnAlignment = 4;     // of a length, from the start of the context

// Names behind their length in a piece, from its start on.
class NameSearch {
 public:
  Result<std::vector<std::string>> In(const BlobInput& input, Extent place) && {
    const uint64_t end = std::min(place.size, kMaxSoughtBytes);
    for (uint64_t at = 0; at < end && names_.size() < kMaxNames; at += kQnnPieceBytes) {
      // What begins in a piece may end in the next one.
      const uint64_t size = std::min(end - at, kQnnPieceBytes + sizeof(uint32_t) + kLongestName + 1);
      PTEEDIT_ASSIGN(const BlobBytes piece, ReadPart(input, {place.offset + at, size}, size, "context binary"));
      Seek(piece.bytes, std::min(size, kQnnPieceBytes));
    }
    return std::move(names_);
  }

 private:
  void Seek(ByteSpan bytes, size_t starts) {
    for (size_t i = 0; i < starts && bytes.size - i > sizeof(uint32_t) && names_.size() < kMaxNames;
         i += kQnnAlignment) {
      const size_t length = Load<uint32_t>(bytes.data + i);
      const std::string_view rest(reinterpret_cast<const char*>(bytes.data) + i + sizeof(uint32_t),
                                  bytes.size - i - sizeof(uint32_t));
      if (length < kShortestName || length > kLongestName || length >= rest.size() || rest[length] != '\0') continue;
      const std::string_view name = rest.substr(0, length);
      const auto is_printable = [](char c) { return c >= ' ' && c <= '~'; };
      if (!std::ranges::all_of(name, is_printable) || !seen_.emplace(name).second) continue;
      names_.emplace_back(name);
    }
  }

  std::set<std::string> seen_;
  std::vector<std::string> names_;  // in the order of the blob
};

// "2.37.0.250724175447_124859" of "v2.37.0.250724175447_124859", the build of the SDK, which stands among the names.
std::string SdkVersionIn(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (name.find_first_not_of("v0123456789._") == name.npos && name.front() == 'v' &&
        std::ranges::count(name, '.') >= 3)
      return name.substr(1);
  }
  return {};
}

Result<DecodedBlob> WithQnnNames(const BlobInput& input, Extent named, const std::vector<BlobPart>& parts) {
  DecodedBlob decoded;
  decoded.parts = FillGaps(parts, input.blob.size);
  PTEEDIT_ASSIGN(decoded.strings, NameSearch().In(input, named));
  if (std::string version = SdkVersionIn(decoded.strings); !version.empty())
    decoded.facts.push_back({"qnn_sdk_version", std::move(version)});
  return decoded;
}

Result<DecodedBlob> DecodeContext(const BlobInput& input, const uint8_t* head) {
  const uint64_t size = Load<uint64_t>(head + 12);
  const uint64_t before = input.blob.size - std::min(size, input.blob.size);
  if (before != kContextHeadBytes && before != kContextAlignedAt) {
    return Unsupported(Text("context binary has ", size, " bytes of the blob's ", input.blob.size, ", all but ",
                            kContextHeadBytes, " or ", kContextAlignedAt, " expected"));
  }
  const Extent context{before, size};
  PTEEDIT_ASSIGN(DecodedBlob decoded,
                 WithQnnNames(input, context, {{"header", {0, before}}, {"context binary", context}}));
  decoded.facts.push_back({"signature", Hex(Load<uint64_t>(head + 4))});
  return decoded;
}

Result<DecodedBlob> DecodeGraph(const BlobInput& input, const uint8_t* head) {
  const Extent graph{kGraphHeadBytes, Load<uint32_t>(head + 4)};
  const Extent data{graph.offset + graph.size, Load<uint64_t>(head + 8)};
  if (!Fits(data, input.blob.size)) {
    return Unsupported(Text("graph of ", graph.size, " bytes and data of ", data.size,
                            " bytes are more than the blob has (", input.blob.size, " bytes)"));
  }
  return WithQnnNames(input, graph, {{"header", {0, kGraphHeadBytes}}, {"graph", graph}, {"data", data}});
}

Result<DecodedBlob> DecodeBlob(const BlobInput& input) {
  if (input.blob.size < kContextHeadBytes) {
    return Unsupported(Text("blob has ", input.blob.size, " bytes, at least ", kContextHeadBytes, " expected"));
  }
  PTEEDIT_ASSIGN(const BlobBytes head, ReadPart(input, {0, kContextHeadBytes}, kContextHeadBytes, "head"));
  const uint32_t magic = Load<uint32_t>(head.bytes.data);
  if (magic == kContextMagic) return DecodeContext(input, head.bytes.data);
  if (magic == kGraphMagic) return DecodeGraph(input, head.bytes.data);
  const Extent all{0, input.blob.size};
  return WithQnnNames(input, all, {{"context binary", all}});
}

std::vector<BlobFact> OptionFacts(const BlobInput& input) {
  using namespace schema::qnn;  // NOLINT: the options' tables
  std::vector<BlobFact> facts;
  const AlignedText aligned(SpecText(input, "qnn_compile_spec").value_or(""));
  const QnnExecuTorchOptions* options =
      aligned.bytes().size < kShortestOptions ? nullptr : VerifiedRoot<QnnExecuTorchOptions>(aligned.bytes());
  if (options == nullptr) return facts;
  const auto add = [&](const char* fact, const char* name, int number) {
    facts.push_back({fact, *name != '\0' ? name : Text(number)});
  };
  if (const SocInfo* soc = options->soc_info()) {
    add("soc_model", EnumNameQcomChipset(soc->soc_model()), static_cast<int>(soc->soc_model()));
    if (const HtpInfo* htp = soc->htp_info()) {
      add("htp_arch", EnumNameHtpArch(htp->htp_arch()), static_cast<int>(htp->htp_arch()));
      facts.push_back({"vtcm_size_in_mb", Text(htp->vtcm_size_in_mb())});
    }
  }
  if (const QnnExecuTorchBackendOptions* backend = options->backend_options()) {
    const QnnExecuTorchBackendType type = backend->backend_type();
    add("backend_type", EnumNameQnnExecuTorchBackendType(type), static_cast<int>(type));
  }
  return facts;
}

}  // namespace

Result<DecodedBlob> DecodeQnn(const BlobInput& input) {
  PTEEDIT_ASSIGN(DecodedBlob decoded, DecodeBlob(input));
  const std::vector<BlobFact> options = OptionFacts(input);
  decoded.facts.insert(decoded.facts.begin(), options.begin(), options.end());
  return decoded;
}

}  // namespace pteedit
