// What a record calls the weights and constants of its programs.
#ifndef PTEEDIT_SRC_RECORD_RECORD_NAMES_H_
#define PTEEDIT_SRC_RECORD_RECORD_NAMES_H_

#include <string>
#include <vector>

#include "formats/json_reader.h"
#include "pteedit/names.h"
#include "pteedit/result.h"
#include "record/etrecord.h"

namespace pteedit {

// In the order of the archive, programs of the model before those of the edge dialect; then those of the table of
// names, which stands for what the record once had. Entries that torch.save wrote and we cannot read have none.
Result<std::vector<ContentName>> NamesInRecord(const Etrecord& record);

// The table: {"schema_version": 1, "names": [{"name", "sha256", "bytes", "sizes"}, …]}.
std::string NamesTable(const std::vector<ContentName>& hashed);
Result<std::vector<ContentName>> ReadNamesTable(const JsonValue& table);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_RECORD_RECORD_NAMES_H_
