#include "digest.h"

#include <openssl/evp.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace pterun {
namespace {

using executorch::aten::Tensor;
using executorch::runtime::EValue;
using executorch::runtime::Tag;

class Sha256 {
 public:
  Sha256() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) { EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr); }

  void Add(const void* bytes, size_t size) { EVP_DigestUpdate(context_.get(), bytes, size); }

  template <typename Number>
  void AddNumber(Number number) {
    Add(&number, sizeof(number));
  }

  // Adds the length first, so that no two sequences of lists look alike.
  template <typename List>
  void AddList(const List& list) {
    AddNumber<uint64_t>(list.size());
    for (const auto element : list) AddNumber(element);
  }

  std::string Finish() {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    EVP_DigestFinal_ex(context_.get(), digest, &size);
    std::string hex;
    for (unsigned int i = 0; i < size; ++i) hex += {kDigits[digest[i] >> 4], kDigits[digest[i] & 15]};
    return hex;
  }

 private:
  static constexpr char kDigits[] = "0123456789abcdef";
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

void AddTensor(Sha256& sha, const Tensor& tensor) {
  sha.AddNumber(static_cast<int8_t>(tensor.scalar_type()));
  sha.AddList(tensor.sizes());
  sha.AddList(tensor.dim_order());
  if (tensor.nbytes() == 0) return;
  if (tensor.const_data_ptr() == nullptr) throw std::runtime_error("output tensor has no memory");
  sha.Add(tensor.const_data_ptr(), tensor.nbytes());
}

void AddOptionalTensors(Sha256& sha, executorch::aten::ArrayRef<std::optional<Tensor>> tensors) {
  sha.AddNumber<uint64_t>(tensors.size());
  for (const std::optional<Tensor>& tensor : tensors) {
    sha.AddNumber(tensor.has_value());
    if (tensor) AddTensor(sha, *tensor);
  }
}

void AddTensors(Sha256& sha, executorch::aten::ArrayRef<Tensor> tensors) {
  sha.AddNumber<uint64_t>(tensors.size());
  for (const Tensor& tensor : tensors) AddTensor(sha, tensor);
}

}  // namespace

std::string DigestOfBytes(const EValue& value) {
  if (!value.isTensor()) return DigestOf(value);
  Sha256 sha;
  const Tensor& tensor = value.toTensor();
  if (tensor.nbytes() != 0) sha.Add(tensor.const_data_ptr(), tensor.nbytes());
  return sha.Finish();
}

std::string DigestOf(const EValue& value) {
  Sha256 sha;
  sha.AddNumber(static_cast<uint32_t>(value.tag));
  switch (value.tag) {
    case Tag::None:
      break;
    case Tag::Tensor:
      AddTensor(sha, value.toTensor());
      break;
    case Tag::Int:
      sha.AddNumber(value.toInt());
      break;
    case Tag::Double:
      sha.AddNumber(value.toDouble());
      break;
    case Tag::Bool:
      sha.AddNumber(value.toBool());
      break;
    case Tag::String:
      sha.AddList(value.toString());
      break;
    case Tag::ListInt:
      sha.AddList(value.toIntList());
      break;
    case Tag::ListDouble:
      sha.AddList(value.toDoubleList());
      break;
    case Tag::ListBool:
      sha.AddList(value.toBoolList());
      break;
    case Tag::ListTensor:
      AddTensors(sha, value.toTensorList());
      break;
    case Tag::ListOptionalTensor:
      AddOptionalTensors(sha, value.toListOptionalTensor());
      break;
    default:
      throw std::runtime_error("output of a kind that cannot be compared");
  }
  return sha.Finish();
}

}  // namespace pterun
