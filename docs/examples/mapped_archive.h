// An .etm with the stock runtime: the archive is mapped once, and its program and weights are used where they lie.
// docs/ptepack.md tells of it; tests/e2e runs it. `ptepack etm` puts each member as it is at a multiple of 16 KiB, so a
// device that wants less in its address space maps members alone.
#pragma once

#include <executorch/extension/flat_tensor/flat_tensor_data_map.h>
#include <executorch/extension/named_data_map/merged_data_map.h>
#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/executor/program.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

struct Bytes {
  const uint8_t* data = nullptr;
  size_t size = 0;
};

// Gives the runtime bytes of the map: nothing is read before it is used, nothing is copied.
class MappedLoader : public executorch::runtime::DataLoader {
 public:
  explicit MappedLoader(Bytes bytes) : bytes_(bytes) {}

  executorch::runtime::Result<executorch::runtime::FreeableBuffer> load(size_t offset, size_t size,
                                                                        const SegmentInfo&) const override {
    if (offset > bytes_.size || size > bytes_.size - offset) return executorch::runtime::Error::InvalidArgument;
    return executorch::runtime::FreeableBuffer(bytes_.data + offset, size, nullptr);
  }
  executorch::runtime::Error load_into(size_t offset, size_t size, const SegmentInfo&, void* buffer) const override {
    if (offset > bytes_.size || size > bytes_.size - offset) return executorch::runtime::Error::InvalidArgument;
    std::memcpy(buffer, bytes_.data + offset, size);
    return executorch::runtime::Error::Ok;
  }
  executorch::runtime::Result<size_t> size() const override { return bytes_.size; }

 private:
  Bytes bytes_;
};

// The members of an archive below 4 GiB, in its order. `ptepack etm` writes no comment behind its directory.
class MappedArchive {
 public:
  explicit MappedArchive(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat about {};
    if (file < 0 || fstat(file, &about) != 0) throw std::runtime_error(path + ": cannot be opened");
    all_.size = static_cast<size_t>(about.st_size);
    void* map = mmap(nullptr, all_.size, PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (map == MAP_FAILED) throw std::runtime_error(path + ": cannot be mapped");
    all_.data = static_cast<const uint8_t*>(map);
    ReadDirectory();
  }
  ~MappedArchive() { munmap(const_cast<uint8_t*>(all_.data), all_.size); }
  MappedArchive(const MappedArchive&) = delete;
  MappedArchive& operator=(const MappedArchive&) = delete;

  const std::vector<std::pair<std::string, Bytes>>& members() const { return members_; }

 private:
  static constexpr size_t kEnd = 22, kEntry = 46, kHead = 30;

  uint64_t Number(size_t at, size_t bytes) const {
    uint64_t number = 0;
    if (at > all_.size || bytes > all_.size - at) throw std::runtime_error("the archive is damaged");
    for (size_t i = bytes; i > 0; --i) number = number << 8 | all_.data[at + i - 1];
    return number;
  }

  void ReadDirectory() {
    const size_t end = all_.size - kEnd;
    size_t entry = Number(end + 16, 4);
    for (uint64_t left = Number(end + 10, 2); left > 0; --left) {
      const uint64_t method = Number(entry + 10, 2), size = Number(entry + 24, 4), name = Number(entry + 28, 2);
      const uint64_t head = Number(entry + 42, 4);
      const uint64_t begin = head + kHead + Number(head + 26, 2) + Number(head + 28, 2);
      if (method != 0 || begin > all_.size || size > all_.size - begin || entry + kEntry + name > all_.size)
        throw std::runtime_error("a member is not stored as it is");
      members_.push_back(
          {{reinterpret_cast<const char*>(all_.data) + entry + kEntry, name}, {all_.data + begin, size}});
      entry += kEntry + name + Number(entry + 30, 2) + Number(entry + 32, 2);
    }
  }

  Bytes all_;
  std::vector<std::pair<std::string, Bytes>> members_;
};

// The program of the archive of one variant, and what its weights hold. Give data() to Program::load_method.
class MappedModel {
 public:
  explicit MappedModel(const std::string& path) : archive_(path) {
    for (const auto& [name, bytes] : archive_.members()) {
      if (name != "model.pte" && name.rfind("weights/", 0) != 0) continue;
      loaders_.push_back(std::make_unique<MappedLoader>(bytes));
      if (name == "model.pte") program_ = Take(executorch::runtime::Program::load(loaders_.back().get()));
      if (name != "model.pte") weights_.push_back(Take(Weights::load(loaders_.back().get())));
    }
    std::vector<const executorch::runtime::NamedDataMap*> maps;
    for (const auto& weights : weights_) maps.push_back(weights.get());
    if (program_ == nullptr) throw std::runtime_error(path + ": has no model.pte");
    if (!maps.empty())
      data_ =
          Take(executorch::extension::ET_MERGED_DATA_MAP_NAMESPACE::MergedDataMap::load({maps.data(), maps.size()}));
  }

  const executorch::runtime::Program& program() const { return *program_; }
  const executorch::runtime::NamedDataMap* data() const { return data_.get(); }

 private:
  using Weights = executorch::extension::FlatTensorDataMap;

  template <class T>
  static std::unique_ptr<T> Take(executorch::runtime::Result<T> loaded) {
    if (!loaded.ok()) throw std::runtime_error(executorch::runtime::to_string(loaded.error()));
    return std::make_unique<T>(std::move(*loaded));
  }

  MappedArchive archive_;  // lives longest
  std::vector<std::unique_ptr<MappedLoader>> loaders_;
  std::unique_ptr<executorch::runtime::Program> program_;
  std::vector<std::unique_ptr<Weights>> weights_;
  std::unique_ptr<executorch::extension::ET_MERGED_DATA_MAP_NAMESPACE::MergedDataMap> data_;
};
