// The text of a metadata file: members in a fixed order, one space a level, a line for each row of a list.
#include "base/text.h"
#include "formats/json_text.h"
#include "pteedit/delegate_metadata.h"

namespace pteedit {
namespace {

// "key", and "key_hex" where the text has to change the key.
std::string KeyMembers(std::string_view key) {
  const bool is_changed = ReplaceControl(key) != key;
  return "\"key\": " + JsonText(key) + (is_changed ? ", \"key_hex\": \"" + HexDigits(key) + "\"" : "");
}

std::string ConstantText(const BlobConstant& constant) {
  std::string text = "{\"name\": " + JsonText(constant.name);
  if (!constant.key.empty()) text += ", " + KeyMembers(constant.key);
  text += Text(", \"dtype\": ", JsonText(constant.dtype), ", \"sizes\": [", Joined(constant.sizes, ", "),
               "], \"bytes\": ", constant.bytes);
  if (constant.offset()) text += Text(", \"offset\": ", *constant.offset());
  return text + "}";
}

std::string PartText(const BlobPart& part) {
  return Text("{\"name\": ", JsonText(part.name), ", \"offset\": ", part.extent.offset,
              ", \"size\": ", part.extent.size, "}");
}

std::string FactText(const BlobFact& fact) { return JsonText(fact.name) + ": " + JsonText(fact.value); }

std::string KeyText(const std::string& key) { return "{" + KeyMembers(key) + "}"; }

// An object whose members each begin a line.
class ObjectText {
 public:
  explicit ObjectText(std::string indent) : indent_(std::move(indent)) {}

  void Add(const char* name, const std::string& value) {
    text_ += text_.empty() ? "" : ",";
    text_ += Text("\n", indent_, " \"", name, "\": ", value);
  }
  void AddText(const char* name, const std::string& value) {
    if (!value.empty()) Add(name, JsonText(value));
  }
  // A list, or with braces an object, of which each element has a line.
  template <class T, class ToText>
  void AddRows(const char* name, const std::optional<std::vector<T>>& rows, ToText to_text,
               const char* brackets = "[]") {
    if (!rows) return;
    std::string list;
    for (const T& row : *rows) list += Text(list.empty() ? "\n" : ",\n", indent_, "  ", to_text(row));
    if (!list.empty()) list += "\n" + indent_ + " ";
    Add(name, brackets[0] + list + brackets[1]);
  }
  std::string Take() && { return "{" + text_ + "\n" + indent_ + "}"; }

 private:
  std::string indent_;
  std::string text_;
};

std::string BlobText(const BlobMetadata& blob) {
  ObjectText object("  ");
  object.AddText("sha256", blob.sha256);
  if (blob.bytes) object.Add("bytes", std::to_string(*blob.bytes));
  object.AddText("backend", blob.backend);
  object.AddText("name", blob.name);
  object.AddRows("operators", blob.operators, JsonText);
  object.AddRows("constants", blob.constants, ConstantText);
  object.AddRows("parts", blob.parts, PartText);
  object.AddRows("facts", blob.facts, FactText, "{}");
  object.AddRows("strings", blob.strings, JsonText);
  object.AddRows("keys", blob.keys, KeyText);
  return std::move(object).Take();
}

}  // namespace

std::string WriteDelegateMetadata(const std::vector<BlobMetadata>& blobs) {
  std::string list;
  for (const BlobMetadata& blob : blobs) list += (list.empty() ? "\n  " : ",\n  ") + BlobText(blob);
  return "{\n \"schema_version\": 1,\n \"delegates\": [" + list + (list.empty() ? "]\n}\n" : "\n ]\n}\n");
}

}  // namespace pteedit
