#include "delegates/aoti.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "base/checked.h"
#include "base/text.h"
#include "delegates/blob_reader.h"
#include "delegates/compile_specs.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr std::string_view kListMagic = "ETCUDAFQN3";
constexpr uint64_t kMaxAotiListBytes = uint64_t{16} << 20;
constexpr uint32_t kMaxAotiTextBytes = 4096;
constexpr size_t kMaxKeysBytes = 4096;
constexpr std::string_view kDevices[] = {"cpu", "cuda"};

struct Keys {
  std::string library, weights;
};

DecodedBlob WithKeys(const BlobInput& input, const Keys& keys) {
  DecodedBlob decoded;
  decoded.keys = {keys.library, keys.weights};
  BlobConstant weights;
  weights.name = "weights";
  weights.key = keys.weights;
  if (const auto place = input.Find(weights.key)) weights.bytes = place->extent.size;
  decoded.constants.push_back(std::move(weights));
  return decoded;
}

Keys KeysOfMethod(const BlobInput& input) {
  const std::string_view method = SpecText(input, "method_name").value_or("");
  const std::string prefix = method.empty() ? "" : Text(method.substr(0, kMaxKeysBytes), '_');
  return {prefix + "so_blob", prefix + "weights_blob"};
}

Result<Keys> KeysInText(std::string_view text) {
  const size_t newline = text.find('\n');
  const auto is_printable = [](char c) { return c > ' ' && c <= '~'; };
  if (newline == std::string_view::npos) return Unsupported("blob has no second line, two keys expected");
  const std::string_view library = text.substr(0, newline);
  const std::string_view weights = text.substr(newline + 1);
  for (const std::string_view key : {library, weights}) {
    if (key.empty() || !std::ranges::all_of(key, is_printable)) {
      return Unsupported(Text("blob has line ", Quoted(key), ", a key expected"));
    }
  }
  return Keys{std::string(library), std::string(weights)};
}

// Reads the list of weights from its start to its end.
class ListReader {
 public:
  explicit ListReader(ByteSpan bytes) : bytes_(bytes) {}

  Result<DecodedBlob> Read() && {
    DecodedBlob decoded;
    at_ = kListMagic.size();
    PTEEDIT_ASSIGN(std::string library, TakeText("key of the library"));
    decoded.keys.push_back(std::move(library));
    PTEEDIT_ASSIGN(const uint32_t count, Take<uint32_t>("number of weights"));
    if (count > kMaxWeights) {
      return Unsupported(Text("list has ", count, " weights, at most ", kMaxWeights, " are looked into"));
    }
    for (uint32_t i = 0; i < count; ++i) {
      PTEEDIT_ASSIGN(BlobConstant weight, TakeWeight(Text("weight ", i)));
      decoded.keys.push_back(weight.key);
      decoded.constants.push_back(std::move(weight));
    }
    if (at_ == bytes_.size) return decoded;
    return Unsupported(Text("list of weights ends at ", Hex(at_), ", the blob has ", bytes_.size, " bytes"));
  }

 private:
  Result<BlobConstant> TakeWeight(const std::string& where) {
    BlobConstant weight;
    PTEEDIT_ASSIGN(weight.name, TakeText(where));
    PTEEDIT_ASSIGN(weight.key, TakeText(where));
    PTEEDIT_ASSIGN(weight.bytes, Take<uint64_t>(where));
    PTEEDIT_ASSIGN(const int32_t type, Take<int32_t>(where));
    PTEEDIT_ASSIGN(const int32_t device, Take<int32_t>(where));
    PTEEDIT_ASSIGN(const int64_t first, Take<int64_t>(where));
    PTEEDIT_ASSIGN(const uint32_t dims, Take<uint32_t>(where));
    const bool has_type = type >= 0 && type <= std::numeric_limits<int8_t>::max();
    const bool has_device = device >= 0 && static_cast<size_t>(device) < std::size(kDevices);
    if (weight.key.empty() || !has_type || !has_device || first < 0 || dims > kMaxDims) {
      return Unsupported(Text(where, " has key ", Quoted(weight.key), ", element type ", type, ", device ", device,
                              ", first element ", first, " and ", dims, " dimensions, which makes no sense"));
    }
    weight.dtype = ScalarTypeName(static_cast<int8_t>(type));
    for (uint32_t i = 0; i < 2 * dims; ++i) {  // sizes, then strides
      PTEEDIT_ASSIGN(const int64_t number, Take<int64_t>(where));
      if (number < 0) return Unsupported(Text(where, " has size or stride ", number));
      if (i < dims) weight.sizes.push_back(static_cast<uint64_t>(number));
    }
    return weight;
  }

  template <class T>
  Result<T> Take(const std::string& what) {
    if (!Fits(at_, sizeof(T), bytes_.size)) return EndsIn(what);
    const T value = Load<T>(bytes_.data + at_);
    at_ += sizeof(T);
    return value;
  }

  Result<std::string> TakeText(const std::string& what) {
    PTEEDIT_ASSIGN(const uint32_t size, Take<uint32_t>(what));
    if (size > kMaxAotiTextBytes)
      return Unsupported(Text(what, " has a text of ", size, " bytes, at most ", kMaxAotiTextBytes, " expected"));
    if (!Fits(at_, size, bytes_.size)) return EndsIn(what);
    std::string text(reinterpret_cast<const char*>(bytes_.data) + at_, size);
    at_ += size;
    return text;
  }

  Error EndsIn(const std::string& what) const {
    return Unsupported(Text("blob ends within ", what, " (", bytes_.size, " bytes)"));
  }

  ByteSpan bytes_;
  size_t at_ = 0;
};

Result<DecodedBlob> ReadAotiKeys(const BlobInput& input) {
  if (input.blob.size == 0) return WithKeys(input, KeysOfMethod(input));
  PTEEDIT_ASSIGN(const BlobBytes read, ReadPart(input, {0, input.blob.size}, kMaxAotiListBytes, "blob"));
  const std::string_view text(reinterpret_cast<const char*>(read.bytes.data), read.bytes.size);
  if (text.starts_with(kListMagic)) return ListReader(read.bytes).Read();
  if (text.size() > kMaxKeysBytes) {
    return Unsupported(
        Text("blob has ", text.size(), " bytes, two keys of together at most ", kMaxKeysBytes, " expected"));
  }
  PTEEDIT_ASSIGN(const Keys keys, KeysInText(text));
  return WithKeys(input, keys);
}

}  // namespace

Result<DecodedBlob> DecodeAoti(const BlobInput& input) {
  PTEEDIT_ASSIGN(DecodedBlob decoded, ReadAotiKeys(input));
  decoded.facts = SpecFacts(input, {"method_name"});
  decoded.facts.push_back({"library", decoded.keys.front()});
  std::ranges::sort(decoded.keys);
  decoded.keys.erase(std::unique(decoded.keys.begin(), decoded.keys.end()), decoded.keys.end());
  if (input.blob.size != 0) decoded.parts = {{"keys", {0, input.blob.size}}};
  return decoded;
}

}  // namespace pteedit
