// Core ML folders put together by hand: protobuf programs, weight.bin and the list of files.
#ifndef PTEEDIT_TESTS_SUPPORT_COREML_FOLDERS_H_
#define PTEEDIT_TESTS_SUPPORT_COREML_FOLDERS_H_

#include <map>
#include <string>
#include <vector>

#include "test_blobs.h"

namespace pteedit::test {

inline std::string Varint(uint64_t value) {
  std::string bytes;
  for (; value > 0x7F; value >>= 7) bytes.push_back(static_cast<char>(0x80 | (value & 0x7F)));
  bytes.push_back(static_cast<char>(value));
  return bytes;
}
inline std::string Field(uint32_t number, uint64_t value) { return Varint(uint64_t{number} << 3) + Varint(value); }
inline std::string Field(uint32_t number, const std::string& bytes) {
  return Varint(uint64_t{number} << 3 | 2) + Varint(bytes.size()) + bytes;
}
inline std::string MapEntry(const std::string& key, const std::string& value) {
  return Field(1, key) + Field(2, value);
}

// An operator, "inside" being further fields.
inline std::string MilOperator(const std::string& type, const std::string& output, const std::string& inside = "") {
  return Field(3, Field(1, type) + Field(3, Field(1, output)) + inside);
}
// A type: FLOAT16 where nothing else is said. A size of 0 is not known before it runs.
inline std::string MilTypeOf(const std::vector<uint64_t>& sizes, uint64_t element = 10) {
  std::string tensor = Field(1, element) + Field(2, uint64_t{sizes.size()});
  for (const uint64_t size : sizes) tensor += Field(3, size == 0 ? Field(2, std::string()) : Field(1, Field(1, size)));
  return Field(1, tensor);
}
// A value with its type, field `number` of an operator (3, what it gives) or a block (1, what it takes).
inline std::string MilValueOf(uint32_t number, const std::string& name, const std::string& type) {
  return Field(number, Field(1, name) + Field(2, type));
}
// That an operator takes these as an argument.
inline std::string MilArgument(const std::string& argument, const std::vector<std::string>& names) {
  std::string bindings;
  for (const std::string& name : names) bindings += Field(1, Field(1, name));
  return Field(2, MapEntry(argument, bindings));
}
inline std::string MilFileValueOf(const std::string& file, uint64_t offset, const std::vector<uint64_t>& sizes) {
  std::string tensor;
  for (const uint64_t size : sizes) tensor += Field(3, Field(1, Field(1, size)));
  return Field(2, Field(1, tensor)) + Field(5, Field(1, file) + Field(2, offset));
}
inline std::string MilConstant(const std::string& name, uint64_t offset, const std::vector<uint64_t>& sizes) {
  const std::string value = MilFileValueOf("@model_path/weights/weight.bin", offset, sizes);
  return MilOperator("const", name, Field(5, MapEntry("val", value)));
}
// A function with the operators in its only block.
inline std::string MilFunctionOf(const std::string& name, const std::string& operators) {
  return Field(2, MapEntry(name, Field(2, std::string("ios17")) + Field(3, MapEntry("ios17", operators))));
}
inline std::string MilModelOf(const std::string& functions) { return Field(1, uint64_t{8}) + Field(502, functions); }

// weight.bin with weights of these types and sizes.
inline std::string WeightFile(const std::vector<std::pair<uint32_t, uint64_t>>& weights) {
  std::vector<uint8_t> bytes;
  Append(bytes, static_cast<uint32_t>(weights.size()));
  Append(bytes, uint32_t{2});
  for (const auto& [type, size] : weights) {
    bytes.resize((bytes.size() + 63) / 64 * 64);
    Append(bytes, uint32_t{0xDEADBEEF});
    Append(bytes, type);
    Append(bytes, size);
    Append(bytes, uint64_t{bytes.size() + 48});
    bytes.resize(bytes.size() + 40);
    bytes.resize(bytes.size() + size, 0x55);
  }
  return {bytes.begin(), bytes.end()};
}

// The files one behind the other in this order, then `list` backwards.
inline std::vector<uint8_t> FolderWithList(const std::string& data, const std::string& list) {
  std::vector<uint8_t> blob(data.begin(), data.end());
  blob.insert(blob.end(), list.rbegin(), list.rend());
  return blob;
}

// Files by path.
inline std::vector<uint8_t> Folder(const std::vector<std::pair<std::string, std::string>>& files) {
  nlohmann::json nodes = nlohmann::json::array();
  std::string data;
  std::map<std::string, nlohmann::json> folders;  // children by path
  const auto add_to_parent = [&](const std::string& path, size_t node) {
    const size_t slash = path.rfind('/');
    const std::string parent = slash == std::string::npos ? "" : path.substr(0, slash);
    folders[parent][path.substr(slash == std::string::npos ? 0 : slash + 1)] = node;
  };
  for (const auto& [path, bytes] : files) {
    add_to_parent(path, nodes.size());
    nodes.push_back({{"name", path}, {"kind", 0}, {"dataRegion", {{"offset", data.size()}, {"size", bytes.size()}}}});
    data += bytes;
  }
  // The deepest first, so that all children of a folder are there when its turn comes.
  while (!folders.empty()) {
    auto deepest = folders.begin();
    for (auto it = folders.begin(); it != folders.end(); ++it) {
      if (it->first.size() > deepest->first.size()) deepest = it;
    }
    if (!deepest->first.empty()) add_to_parent(deepest->first, nodes.size());
    nodes.push_back({{"name", deepest->first}, {"kind", 1}, {"children", deepest->second}});
    folders.erase(deepest);
  }
  return FolderWithList(data, nlohmann::json{{"nodes", nodes}}.dump());
}

}  // namespace pteedit::test

#endif  // PTEEDIT_TESTS_SUPPORT_COREML_FOLDERS_H_
