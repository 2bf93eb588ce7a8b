#include "pieces.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "pteedit/planned_file.h"
#include "pteedit/source.h"
#include "sources.h"
#include "text.h"
#include "work.h"

namespace pteedit::python {
namespace {

namespace py = pybind11;
using py::literals::operator""_a;

py::bytes BytesOf(const PlannedPiece& piece, const Failures& failures) {
  std::string bytes(static_cast<size_t>(piece.extent.size), '\0');
  const MutableByteSpan out{reinterpret_cast<uint8_t*>(bytes.data()), bytes.size()};
  WorkOnly(failures, [&] { return piece.source->Read(piece.extent.offset, out); });
  return py::bytes(bytes);
}

// Of an output (name of an input or None, offset, size, bytes where they are new), without a name or bytes zeros.
py::list PiecesOf(const Rewrite& rewrite, size_t output) {
  const PlannedFile file = Unfolded(rewrite.outputs.at(output).file);
  return ListOf(file.pieces(), [&](const PlannedPiece& piece) -> py::tuple {
    const auto& [offset, size] = piece.extent;
    if (piece.source == nullptr) return py::make_tuple(py::none(), offset, size, py::none());
    if (rewrite.read.count(piece.source) != 0)
      return py::make_tuple(ToPython(piece.source->name()), offset, size, py::none());
    return py::make_tuple(py::none(), uint64_t{0}, size, BytesOf(piece, rewrite.failures));
  });
}

// Without a source zeros.
using Pieces = std::vector<std::tuple<std::optional<PythonSource>, uint64_t, uint64_t>>;

// Returns the SHA-256 of what was written in the place of what was there.
std::string WritePieces(const std::filesystem::path& path, const Pieces& pieces) {
  PlannedFile file;
  Failures failures;
  std::vector<std::string> inputs;
  for (const auto& [source, offset, size] : pieces) {
    if (!source) {
      file.AppendZeros(size);
      continue;
    }
    file.Append(source->source, {offset, size});
    failures.Add(source->failure);
    inputs.push_back(source->source->name());
  }
  const WriteOptions options{/*replace=*/true, /*hash=*/true, {}};
  return Work(failures, [&] { return WriteFiles({{path.string(), file}}, inputs, options); }).front().sha256;
}

// The same source, which knows these hashes: (offset, size, 32 bytes).
PythonSource WithHashes(const PythonSource& source,
                        const std::vector<std::tuple<uint64_t, uint64_t, std::string>>& hashes) {
  std::vector<HashedPart> parts;
  for (const auto& [offset, size, sha256] : hashes) {
    HashedPart part{{offset, size}, {}};
    if (sha256.size() != part.sha256.size()) throw py::value_error("a SHA-256 has 32 bytes");
    std::copy(sha256.begin(), sha256.end(), part.sha256.begin());
    parts.push_back(part);
  }
  return {MakeHashedSource(source.source, parts), source.failure};
}

}  // namespace

void AddPieces(py::module_& module, py::class_<Rewrite>& rewrite) {
  rewrite.def("pieces", &PiecesOf, "output"_a);
  module.def("write_pieces", &WritePieces, "path"_a, "pieces"_a);
  module.def("with_hashes", &WithHashes, "source"_a, "hashes"_a);
}

}  // namespace pteedit::python
