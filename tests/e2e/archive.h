// The program of an archive (.etm) run out of its map, as docs/examples/mapped_archive.h loads it.
#ifndef PTERUN_ARCHIVE_H_
#define PTERUN_ARCHIVE_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace pterun {

// Makes the calls, each with its seed, and returns the digests of the outputs by method. Throws Refused.
struct SeededCall {
  nlohmann::json call;  // {"method", "inputs"}
  uint64_t seed = 0;
};
nlohmann::ordered_json RunArchive(const std::string& path, const std::vector<SeededCall>& calls);

}  // namespace pterun

#endif  // PTERUN_ARCHIVE_H_
