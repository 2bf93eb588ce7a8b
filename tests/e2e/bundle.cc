#include "bundle.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>

namespace pterun {
namespace {

constexpr size_t kIdentifierOffset = 4;  // after the root offset, as in every flatbuffer
constexpr std::string_view kIdentifier = "BP08";
constexpr size_t kProgramSlot = 4 + 2 * 2;  // in the vtable: two lengths, then the third field, `program`

// Returns the bytes of a bundled program, or nothing where the file is not one.
std::string ReadBundle(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + ": cannot be opened");
  std::string head(kIdentifierOffset + kIdentifier.size(), '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  if (!file || head.substr(kIdentifierOffset) != kIdentifier) return {};
  return head.append(std::istreambuf_iterator<char>(file), {});
}

template <typename Number>
Number ReadNumber(std::string_view bytes, size_t offset) {
  if (offset > bytes.size() || sizeof(Number) > bytes.size() - offset) {
    throw std::runtime_error("bundled program is cut short or damaged");
  }
  Number number;
  std::memcpy(&number, bytes.data() + offset, sizeof(number));
  return number;
}

// Follows root table, vtable and field to the byte vector that is the inner program.
std::string_view FindProgram(std::string_view bundle) {
  const size_t root = ReadNumber<uint32_t>(bundle, 0);
  const size_t vtable = root - static_cast<int64_t>(ReadNumber<int32_t>(bundle, root));
  const bool has_slot = ReadNumber<uint16_t>(bundle, vtable) > kProgramSlot;
  const size_t field = has_slot ? ReadNumber<uint16_t>(bundle, vtable + kProgramSlot) : 0;
  if (field == 0) throw std::runtime_error("bundled program holds no program");
  const size_t vector = root + field + ReadNumber<uint32_t>(bundle, root + field);
  const size_t size = ReadNumber<uint32_t>(bundle, vector);
  const size_t first = vector + sizeof(uint32_t);
  if (size > bundle.size() - first) throw std::runtime_error("bundled program is cut short or damaged");
  return bundle.substr(first, size);
}

}  // namespace

std::string MakeProgramPath(const std::string& path) {
  const std::string bundle = ReadBundle(path);
  if (bundle.empty()) return path;
  const std::string_view program = FindProgram(bundle);
  const int fd = memfd_create("program", 0);
  if (fd < 0) throw std::runtime_error("no memory file for the inner program");
  for (size_t done = 0; done < program.size();) {
    const ssize_t written = write(fd, program.data() + done, program.size() - done);
    if (written <= 0) throw std::runtime_error("no memory for the inner program");
    done += static_cast<size_t>(written);
  }
  return "/proc/self/fd/" + std::to_string(fd);
}

}  // namespace pterun
