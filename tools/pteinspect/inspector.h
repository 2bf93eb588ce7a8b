// Looks at files one after the other and prints what the views ask for; one file that fails does not keep the others
// from being printed.
#ifndef PTEEDIT_TOOLS_PTEINSPECT_INSPECTOR_H_
#define PTEEDIT_TOOLS_PTEINSPECT_INSPECTOR_H_

#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli.h"
#include "gates.h"
#include "json.h"
#include "pteedit/names.h"
#include "pteedit/verify.h"
#include "request.h"
#include "text/html.h"
#include "user_decoders.h"
#include "views/inspection.h"

namespace pteedit::cli {

class Inspector {
 public:
  Inspector(const Tool& tool, const Request& request, UserDecoders decoders, ContentNames names)
      : tool_(tool), request_(request), decoders_(std::move(decoders)), names_(std::move(names)) {}

  // Returns the exit code. Beside a cache of packed weights programs only tell what they ask for.
  int Run(const std::vector<Input>& inputs);

 private:
  int ShowAll(const std::vector<Input>& inputs);
  void VerifyAll(const std::vector<Input>& inputs);
  int PrintSarif();
  void FindData(const std::vector<Input>& inputs);
  void OpenData();
  void OpenPrograms(const std::vector<Input>& inputs);
  std::vector<Container> DataOf(const Input& input) const;
  void PrintFindings(const Input& input, bool is_data);
  void Show(const Input& input, bool is_data);
  Status InspectAndPrint(const Input& input, const Container& container, bool is_data);
  Status PrintProfile(const std::string& file);
  void AddObject(const Json& object);
  // What is printed next is of the file.
  std::ostream& Titled(const std::string& file);
  std::ostream& Verdicts() const;
  Status Print(Inspection inspection, const GateResults& gates);
  std::string Title(const std::string& file) const;
  void PrintAcross(const std::vector<Input>& inputs);
  void WritePage(const std::vector<std::string>& inputs);
  void WarnOfOldBlobs();
  void WarnOfUnnamed(const Inspection& inspection) const;
  void PrintDamaged(const std::string& file);
  Status KeepMetadata(const Inspection& inspection);
  void EmitMetadata(const std::vector<std::string>& files);
  void Fail(const std::optional<std::string>& file, const Error& error);

  const Tool& tool_;
  const Request& request_;
  UserDecoders decoders_;
  ContentNames names_;
  std::map<std::string, std::vector<Finding>> findings_;  // by file
  std::map<std::string, Error> failed_;                   // those that could not be verified
  bool has_titles_ = false;
  bool is_first_ = true;
  int exit_code_ = kExitDone;
  std::vector<std::string> data_;  // all data files that are shown, each once
  std::set<std::string> files_to_open_;
  std::map<std::string, Container> opened_data_;  // of all that belong to programs, those that could be opened
  std::vector<ProgramSet> programs_;              // beside a cache of packed weights
  std::vector<Container> shown_;
  KeyUses key_uses_;                    // by those that were shown
  std::vector<BlobMetadata> metadata_;  // to emit
  JsonPrinter printer_{std::cout};      // of --json
  std::vector<PageObject> list_;        // of the page
};

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEINSPECT_INSPECTOR_H_
