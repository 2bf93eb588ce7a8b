#include "inspect/keyed_constants.h"

#include <cstdint>
#include <map>
#include <string_view>

namespace pteedit {

std::vector<const BlobConstant*> KeyedConstants(const DelegateDescription& delegate) {
  if (delegate.contents->constants.empty()) return {};  // a delegate may ask for as many keys as a file has
  std::map<std::string_view, uint64_t> bytes_of;
  for (const DelegateDescription::Key& key : delegate.keys) {
    if (key.bytes) bytes_of.emplace(key.key, *key.bytes);
  }
  std::vector<const BlobConstant*> constants;
  for (const BlobConstant& constant : delegate.contents->constants) {
    const auto named = bytes_of.find(constant.key);
    const bool is_part = named != bytes_of.end() && constant.bytes != 0 && constant.bytes != named->second;
    if (!constant.key.empty() && !is_part) constants.push_back(&constant);
  }
  return constants;
}

}  // namespace pteedit
