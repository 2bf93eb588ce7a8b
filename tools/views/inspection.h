// What was found in a file for the views to show.
#ifndef PTEEDIT_TOOLS_VIEWS_INSPECTION_H_
#define PTEEDIT_TOOLS_VIEWS_INSPECTION_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pteedit/advise.h"
#include "pteedit/container.h"
#include "pteedit/delegates.h"
#include "pteedit/describe.h"
#include "pteedit/execution.h"
#include "pteedit/hashes.h"
#include "pteedit/key_uses.h"
#include "pteedit/leaks.h"
#include "pteedit/locate.h"
#include "pteedit/operator_work.h"
#include "pteedit/profile/delegation.h"
#include "pteedit/profile/graph.h"
#include "pteedit/requirements.h"
#include "pteedit/result.h"
#include "pteedit/size_groups.h"
#include "pteedit/sizes.h"
#include "threads.h"

namespace pteedit::cli {

// What views look at beside the container, so that nothing is looked for in vain, nor kept. Bits.
enum Needs : unsigned {
  kNeedsNothing = 0,
  kNeedsMethods = kMethodRows,
  kNeedsTensors = kTensorRows,
  kNeedsSegments = kSegmentRows,
  kNeedsNamedData = kNamedDataRows,
  kNeedsDelegates = 16,
  kNeedsHashes = 32,
  kNeedsPlace = 64,
  kNeedsRequirements = 128,
  kNeedsDelegation = 256,
  kNeedsAdvice = 512,
  kNeedsGraph = 1024,
  kNeedsKeyUses = 2048,
  kNeedsLeaks = 4096,
  kNeedsStackTraces = 8192,
  kNeedsGroups = 16384,
  kNeedsRetained = 32768,
  kNeedsWork = 65536
};

struct View;

// What to look for, and how far.
struct ViewRequest {
  std::vector<const View*> selected;  // in the order of AllViews()
  std::optional<HashKind> hash;
  std::vector<SizeAxis> axes;     // to group sizes by
  std::optional<uint64_t> at;     // an offset
  std::string etrecord;           // the exporter's record of the program; empty where none is given
  std::optional<int> zstd_level;  // of the size tree's column
  bool sizes = false;             // the size tree
  bool inside = false;            // of components in it
  bool whole_tree = false;        // all of it, with the types of all weights
  bool blobs = false;             // delegates, whether a view shows them or not
  bool work = false;              // of operators: MACs and bytes
  bool names = false;             // how many contents have one
  unsigned threads = ThreadCount();
};

// Of a file with many tables each fact takes as much memory as the tables: it is there while a view needs it.
struct Inspection {
  std::string file;  // as the user called it
  ProgramSet set;    // with the files of --data that could be opened
  Container container;
  ViewRequest request;
  std::vector<BlobDecoder> decoders;                // of the user
  const KeyUses* uses_before = nullptr;             // of the programs that the data file belongs to, counted with them
  unsigned found = kNeedsNothing;                   // which of the facts below are there
  Description description = {};                     // the rows of which kNeedsMethods and the others say so
  std::vector<DelegateDescription> delegates = {};  // kNeedsDelegates
  std::vector<ContentHash> hashes = {};             // kNeedsHashes
  std::optional<BytePlace> place = {};              // kNeedsPlace
  std::optional<Requirements> requirements = {};    // kNeedsRequirements
  std::vector<MethodDelegation> delegation = {};    // kNeedsDelegation
  std::vector<Advice> advice = {};                  // kNeedsAdvice
  std::optional<Leaks> leaks = {};                  // kNeedsLeaks
  std::vector<InstructionWork> work = {};           // kNeedsWork
  std::vector<StackTrace> stack_traces = {};        // kNeedsStackTraces
  std::vector<MethodGraph> graphs = {};             // kNeedsGraph
  std::vector<SizeAxis> axes = {};                  // kNeedsGroups, of which data files of a program have none
  std::vector<SizeGroup> groups = {};               // on these axes
  std::vector<RetainedSize> retained = {};          // kNeedsRetained
  KeyUses key_uses = {};                            // kNeedsKeyUses; of a data file, by the programs before it
};

// Looks for what is told before any view: delegates, leaks, and what a program reads in data files. `set` has the files
// of --data that could be opened, `decoders` are those of the user, `key_uses` what the programs before a data file
// read in it; they must outlive the inspection.
Result<Inspection> Inspect(const std::string& file, const ProgramSet& set, const std::vector<BlobDecoder>& decoders,
                           const KeyUses* key_uses, const ViewRequest& request);

// The size tree, where it is shown. It takes as much memory as any fact.
Result<SizeNode> SizesOf(const Inspection& inspection);

// Lets go of what can be found again, before there is a size tree.
void LetGoBeforeSizes(Inspection& inspection);
// The same, and looks for what may fail though the file can be read.
Status FindBeforeSizes(Inspection& inspection);

// Looks for all that the views need, where nothing may fail once something is shown.
Status FindAll(Inspection& inspection);

// Calls `show` for each selected view that the file has, in their order, with what it needs, and lets go of what none
// that follows needs. Fails where something can no longer be read.
Status ForEachView(Inspection& inspection, const std::function<void(const View& view)>& show);

// Whether a view has anything to say of a file of this kind: of a package what is about programs has not.
bool HasView(FileKind kind, const View& view);

// Whether there is any of that which there may be as much of as tables.
bool HasRows(const Inspection& inspection);

// The alignment that all of a file's segments with bytes share; 0 where there are none.
uint64_t CommonAlignment(const Description& description);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_VIEWS_INSPECTION_H_
