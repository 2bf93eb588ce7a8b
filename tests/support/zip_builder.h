// Archives put together byte by byte, so that a test can make what no packer would.
#ifndef PTEEDIT_TESTS_SUPPORT_ZIP_BUILDER_H_
#define PTEEDIT_TESTS_SUPPORT_ZIP_BUILDER_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace pteedit::test {

struct ZipTestEntry {
  std::string name, contents;
  uint32_t checksum = 0;    // CRC-32 of the contents
  uint16_t flags = 0;       // 1: encrypted
  uint16_t method = 0;      // 0 stored, 8 deflated
  uint32_t extra_size = 0;  // that the directory claims beyond the truth
};

class ZipBuilder {
 public:
  // With `is_64`, sizes, offsets and the directory's end are in the fields of archives over 4 GiB.
  std::vector<uint8_t> Build(const std::vector<ZipTestEntry>& entries, bool is_64 = false) {
    std::vector<uint64_t> heads;
    for (const ZipTestEntry& entry : entries) {
      heads.push_back(bytes_.size());
      PutEntry(entry, heads.back(), /*in_directory=*/false, is_64);
      Put(entry.contents);
    }
    const uint64_t begin = bytes_.size();
    for (size_t i = 0; i < entries.size(); ++i) PutEntry(entries[i], heads[i], /*in_directory=*/true, is_64);
    PutEnd(begin, entries.size(), is_64);
    return bytes_;
  }

 private:
  template <class Number>
  void Put(Number number) {
    const auto* raw = reinterpret_cast<const uint8_t*>(&number);
    bytes_.insert(bytes_.end(), raw, raw + sizeof(number));
  }
  void Put(const std::string& text) { bytes_.insert(bytes_.end(), text.begin(), text.end()); }

  void PutEntry(const ZipTestEntry& entry, uint64_t head, bool in_directory, bool is_64) {
    const uint32_t size = static_cast<uint32_t>(entry.contents.size()) + (in_directory ? entry.extra_size : 0);
    const uint16_t extra = !is_64 ? 0 : in_directory ? 28 : 20;
    Put<uint32_t>(in_directory ? 0x02014b50 : 0x04034b50);
    if (in_directory) Put<uint16_t>(45);
    Put<uint16_t>(is_64 ? 45 : 20);
    Put(entry.flags);
    Put(entry.method);
    Put<uint32_t>(0);  // time and date
    Put(entry.checksum);
    for (int i = 0; i < 2; ++i) Put<uint32_t>(is_64 ? ~uint32_t{0} : size);
    Put(static_cast<uint16_t>(entry.name.size()));
    Put(extra);
    if (in_directory) {
      for (int i = 0; i < 5; ++i) Put<uint16_t>(0);  // comment, disk, attributes
      Put<uint32_t>(is_64 ? ~uint32_t{0} : static_cast<uint32_t>(head));
    }
    Put(entry.name);
    if (!is_64) return;
    Put<uint16_t>(1);
    Put<uint16_t>(static_cast<uint16_t>(extra - 4));
    for (int i = 0; i < 2; ++i) Put<uint64_t>(size);
    if (in_directory) Put<uint64_t>(head);
  }

  void PutEnd(uint64_t begin, uint64_t count, bool is_64) {
    const uint64_t end = bytes_.size();
    if (is_64) {
      Put<uint32_t>(0x06064b50);
      Put<uint64_t>(44);
      Put<uint16_t>(45);
      Put<uint16_t>(45);
      Put<uint64_t>(0);  // disks
      Put(count);
      Put(count);
      Put(end - begin);
      Put(begin);
      Put<uint32_t>(0x07064b50);
      Put<uint32_t>(0);
      Put(end);
      Put<uint32_t>(1);
    }
    Put<uint32_t>(0x06054b50);
    Put<uint32_t>(0);
    for (int i = 0; i < 2; ++i) Put(is_64 ? uint16_t{0xffff} : static_cast<uint16_t>(count));
    Put<uint32_t>(is_64 ? ~uint32_t{0} : static_cast<uint32_t>(end - begin));
    Put<uint32_t>(is_64 ? ~uint32_t{0} : static_cast<uint32_t>(begin));
    Put<uint16_t>(0);
  }

  std::vector<uint8_t> bytes_;
};

}  // namespace pteedit::test

#endif  // PTEEDIT_TESTS_SUPPORT_ZIP_BUILDER_H_
