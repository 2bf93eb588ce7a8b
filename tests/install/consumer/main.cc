// What a user of the installed library might write: bytes from a place of their own.
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include "pteedit/container.h"

namespace {

class Greeting : public pteedit::Source {
 public:
  const std::string& name() const override { return name_; }
  uint64_t size() const override { return text_.size(); }
  pteedit::Status Read(uint64_t offset, pteedit::MutableByteSpan out) const override {
    std::memcpy(out.data, text_.data() + offset, out.size);
    return {};
  }

 private:
  std::string name_ = "greeting";
  std::string text_ = "hello, world";
};

}  // namespace

int main() {
  const auto opened = pteedit::Container::Open(std::make_shared<Greeting>());
  if (opened || opened.error().code != pteedit::ErrorCode::kUnsupported) {
    std::puts("a greeting was taken for a model");
    return 1;
  }
  std::printf("%s: %s\n", opened.error().file.c_str(), opened.error().message.c_str());
  return 0;
}
