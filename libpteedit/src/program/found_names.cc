#include "program/found_names.h"

#include <iterator>
#include <utility>

#include "base/text.h"
#include "program/container_state.h"
#include "program/content_key.h"

namespace pteedit {

const std::vector<std::string>* FoundNamesAt(const Container& file, Extent place) {
  const FoundNames* names = file.state().names.get();
  if (names == nullptr) return nullptr;
  const auto found = names->by_place.find({place.offset, place.size});
  return found == names->by_place.end() ? nullptr : found->second.get();
}

const std::vector<std::string>* FoundNamesOfKey(const Container& file, std::string_view key) {
  const FoundNames* names = file.state().names.get();
  if (names == nullptr) return nullptr;
  const auto found = names->by_key.find(key);
  return found == names->by_key.end() ? nullptr : found->second.get();
}

std::vector<std::string> NamesOfKey(const Container& file, std::string_view key) {
  std::vector<std::string> all;
  if (const std::string_view own = NameInKey(key); !own.empty()) all.emplace_back(own);
  const std::vector<std::string>* found = FoundNamesOfKey(file, key);
  if (found == nullptr) return all;
  all.insert(all.end(), found->begin(), found->end());
  return WithoutRepeats(std::move(all));
}

std::vector<std::string> NamesAndKeys(const Container& file, std::vector<std::string> keys) {
  std::vector<std::string> all;
  for (const std::string& key : keys) {
    for (std::string& name : NamesOfKey(file, key)) all.push_back(std::move(name));
  }
  std::move(keys.begin(), keys.end(), std::back_inserter(all));
  return WithoutRepeats(std::move(all));
}

std::string ShownName(const Container& file, std::string_view key) {
  std::vector<std::string> names = NamesOfKey(file, key);
  return names.empty() ? std::string(key) : std::move(names.front());
}

}  // namespace pteedit
