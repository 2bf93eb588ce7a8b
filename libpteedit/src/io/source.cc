#include "pteedit/source.h"

#include <cstring>
#include <map>
#include <utility>

#include "base/checked.h"
#include "base/text.h"

namespace pteedit {
namespace {

Error PastEnd(const Source& source, uint64_t offset, size_t size) {
  return IoError(Text("cannot read ", size, " bytes at ", Hex(offset), ": the source has ", source.size(), " bytes"))
      .In(source.name());
}

class MemorySource final : public Source {
 public:
  MemorySource(std::string name, std::shared_ptr<const uint8_t[]> owned, size_t size)
      : name_(std::move(name)), owned_(std::move(owned)), bytes_{owned_.get(), size} {}
  MemorySource(std::string name, ByteSpan view) : name_(std::move(name)), bytes_(view) {}

  const std::string& name() const override { return name_; }
  uint64_t size() const override { return bytes_.size; }
  Status Read(uint64_t offset, MutableByteSpan out) const override {
    if (!Fits(offset, out.size, bytes_.size)) return PastEnd(*this, offset, out.size);
    if (out.size != 0) std::memcpy(out.data, bytes_.data + offset, out.size);
    return {};
  }
  std::shared_ptr<const uint8_t[]> InMemory(Extent part) const override {
    if (owned_ == nullptr || !Fits(part, bytes_.size)) return nullptr;
    return {owned_, bytes_.data + part.offset};
  }

 private:
  std::string name_;
  std::shared_ptr<const uint8_t[]> owned_;  // null: the caller's
  ByteSpan bytes_;
};

class CallbackSource final : public Source {
 public:
  CallbackSource(std::string name, uint64_t size, ReadFunction read)
      : name_(std::move(name)), size_(size), read_(std::move(read)) {}

  const std::string& name() const override { return name_; }
  uint64_t size() const override { return size_; }
  Status Read(uint64_t offset, MutableByteSpan out) const override {
    if (!Fits(offset, out.size, size_)) return PastEnd(*this, offset, out.size);
    Status status = read_(offset, out);
    if (!status) return Error(status.error()).In(name_);
    return {};
  }

 private:
  std::string name_;
  uint64_t size_;
  ReadFunction read_;
};

class WindowSource final : public Source {
 public:
  WindowSource(std::shared_ptr<const Source> whole, Extent extent) : whole_(std::move(whole)), extent_(extent) {}

  const std::string& name() const override { return whole_->name(); }
  uint64_t size() const override { return extent_.size; }
  Status Read(uint64_t offset, MutableByteSpan out) const override {
    if (!Fits(offset, out.size, extent_.size)) return PastEnd(*this, offset, out.size);
    return whole_->Read(extent_.offset + offset, out);
  }
  FilePlace file_place() const override {
    const FilePlace place = whole_->file_place();
    return {place.descriptor, place.offset + extent_.offset};
  }
  std::optional<Sha256Bytes> known_sha256(Extent part) const override {
    if (!Fits(part, extent_.size)) return std::nullopt;
    return whole_->known_sha256({extent_.offset + part.offset, part.size});
  }
  std::shared_ptr<const uint8_t[]> InMemory(Extent part) const override {
    if (!Fits(part, extent_.size)) return nullptr;
    return whole_->InMemory({extent_.offset + part.offset, part.size});
  }

 private:
  std::shared_ptr<const Source> whole_;
  Extent extent_;
};

class HashedSource final : public Source {
 public:
  HashedSource(std::shared_ptr<const Source> source, const std::vector<HashedPart>& parts)
      : source_(std::move(source)) {
    for (const HashedPart& part : parts) hashes_[{part.extent.offset, part.extent.size}] = part.sha256;
  }

  const std::string& name() const override { return source_->name(); }
  uint64_t size() const override { return source_->size(); }
  Status Read(uint64_t offset, MutableByteSpan out) const override { return source_->Read(offset, out); }
  FilePlace file_place() const override { return source_->file_place(); }
  std::optional<Sha256Bytes> known_sha256(Extent part) const override {
    const auto known = hashes_.find({part.offset, part.size});
    return known == hashes_.end() ? std::nullopt : std::optional(known->second);
  }
  std::shared_ptr<const uint8_t[]> InMemory(Extent part) const override { return source_->InMemory(part); }

 private:
  std::shared_ptr<const Source> source_;
  std::map<std::pair<uint64_t, uint64_t>, Sha256Bytes> hashes_;  // by offset and size
};

}  // namespace

Source::~Source() = default;

std::shared_ptr<const Source> MakeMemorySource(std::string name, std::vector<uint8_t> bytes) {
  const auto owner = std::make_shared<const std::vector<uint8_t>>(std::move(bytes));
  return MakeMemorySource(std::move(name), {owner, owner->data()}, owner->size());
}

std::shared_ptr<const Source> MakeMemorySource(std::string name, std::shared_ptr<const uint8_t[]> bytes, size_t size) {
  return std::make_shared<MemorySource>(std::move(name), std::move(bytes), size);
}

std::shared_ptr<const Source> MakeViewSource(std::string name, ByteSpan bytes) {
  return std::make_shared<MemorySource>(std::move(name), bytes);
}

std::shared_ptr<const Source> MakeCallbackSource(std::string name, uint64_t size, ReadFunction read) {
  return std::make_shared<CallbackSource>(std::move(name), size, std::move(read));
}

Result<std::shared_ptr<const Source>> MakeWindowSource(std::shared_ptr<const Source> whole, Extent extent) {
  if (!Fits(extent, whole->size())) {
    return InvalidArgument(Text("window of ", extent.size, " bytes at ", Hex(extent.offset), " leaves the source (",
                                whole->size(), " bytes)"));
  }
  return std::shared_ptr<const Source>(std::make_shared<WindowSource>(std::move(whole), extent));
}

std::shared_ptr<const Source> MakeHashedSource(std::shared_ptr<const Source> source,
                                               const std::vector<HashedPart>& parts) {
  return std::make_shared<HashedSource>(std::move(source), parts);
}

}  // namespace pteedit
