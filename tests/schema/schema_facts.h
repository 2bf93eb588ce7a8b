// What a .fbs file promises about bytes, as text to compare: one line a field, enum value and file property. Namespaces
// are left out, since ours differ from the runtime's on purpose, and whether a field is deprecated, which only says who
// reads it.
#ifndef PTEEDIT_TESTS_SCHEMA_SCHEMA_FACTS_H_
#define PTEEDIT_TESTS_SCHEMA_SCHEMA_FACTS_H_

#include <map>
#include <string>
#include <vector>

namespace pteedit::test {

// "table 'Tensor' field 3" -> "'dim_order' [ubyte]".
using SchemaFacts = std::map<std::string, std::string>;

// Parses the file, and its includes from its own folder. Throws std::runtime_error where it cannot.
SchemaFacts ReadSchemaFacts(const std::string& path);

// A line for each fact that differs or is on one side only; empty where the schemas describe the same bytes.
std::vector<std::string> FindDrift(const SchemaFacts& ours, const SchemaFacts& theirs);

// For a schema of ours that is a part of theirs: the same, but theirs may have more tables, and more fields in a table.
// Which table a union's value has does not count; that all enumerations and unions of ours are whole does.
std::vector<std::string> FindDriftOfPart(const SchemaFacts& ours, const SchemaFacts& theirs);

}  // namespace pteedit::test

#endif  // PTEEDIT_TESTS_SCHEMA_SCHEMA_FACTS_H_
