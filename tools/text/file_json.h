// What the JSON object of each file has, whichever views follow.
#ifndef PTEEDIT_TOOLS_TEXT_FILE_JSON_H_
#define PTEEDIT_TOOLS_TEXT_FILE_JSON_H_

#include <cstdint>
#include <optional>
#include <string>

#include "json.h"
#include "pteedit/result.h"
#include "pteedit/sizes.h"

namespace pteedit::cli {

// The members schema_version, file, kind and bytes.
Json FileJson(const std::string& file, const char* kind, uint64_t bytes);

// Prints the same members and the whole size tree; `has_offsets`: with that of each component that is one piece of the
// file.
void PrintSizesJson(const std::string& file, const char* kind, const SizeNode& sizes, JsonPrinter& printer,
                    bool has_offsets = false);

// What the size tree says of each module, with those inside it: its subtotal over the whole file.
Json ModulesJson(const SizeNode& sizes);

// The object of a file with findings that leave nothing else to show.
Json RenderJsonDamaged(const std::string& file);

// Of a member "error".
Json ErrorJson(const Error& error);

// The object of a file that could not be inspected; without a file, of a view across the files.
Json RenderJsonError(const std::optional<std::string>& file, const Error& error);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_TEXT_FILE_JSON_H_
