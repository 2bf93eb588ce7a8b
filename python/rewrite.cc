#include "rewrite.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "input_files.h"
#include "name_matcher.h"
#include "opened_file.h"
#include "pieces.h"
#include "pteedit/copy.h"
#include "pteedit/match.h"
#include "pteedit/merge.h"
#include "pteedit/merge_packages.h"
#include "pteedit/metadata.h"
#include "pteedit/names.h"
#include "pteedit/planned_file.h"
#include "pteedit/profile/name_files.h"
#include "pteedit/shards.h"
#include "pteedit/split.h"
#include "pteedit/strip.h"
#include "pteedit/try.h"
#include "reports.h"
#include "rewrite_output.h"
#include "shard_index.h"
#include "sources.h"
#include "text.h"
#include "threads.h"
#include "watcher.h"
#include "work.h"

namespace pteedit::python {
namespace {

namespace py = pybind11;
using py::literals::operator""_a;
using Path = std::filesystem::path;
using Names = std::vector<std::string>;
using Renames = std::vector<std::pair<std::string, std::string>>;
using Files = std::vector<OpenedFile>;
using MatchedFiles = std::pair<Files, std::optional<ContentNames>>;  // and what is in checkpoints

// Plans without the GIL, reading these files.
template <class Call>
Rewrite PlanWith(const Failures& failures, const Call& plan) {
  Rewrite rewrite = Work(failures, plan);
  rewrite.failures = failures;
  return rewrite;
}

void AddInput(Rewrite& rewrite, const Container& file, bool stays) {
  if (!rewrite.read.insert(file.source()).second) return;
  (stays ? rewrite.report.kept : rewrite.report.inputs).push_back({file.name(), file.source()->size(), {}, {}});
  rewrite.inputs.push_back(file.name());
}

void AddInputs(Rewrite& rewrite, const std::vector<Container>& files, bool stay) {
  for (const Container& file : files) AddInput(rewrite, file, stay);
}

Bind BindOf(const std::optional<bool>& bind) {
  return !bind ? Bind::kWhereNames : *bind ? Bind::kAlways : Bind::kNever;
}

MatchFiles MatchOf(const MatchedFiles& matched) {
  const auto& [files, tensors] = matched;
  return {ContainersOf(files), tensors ? std::make_shared<const ContentNames>(*tensors) : nullptr};
}

// The data file, or its shards.
void AddData(Rewrite& rewrite, const std::string& name, const std::vector<PlannedFile>& files) {
  for (size_t i = 0; i < files.size(); ++i) rewrite.Add(ShardName(name, i, files.size()), files[i], "shared");
}

Status AddIndex(Rewrite& rewrite, const std::string& name, const std::vector<PlannedFile>& files) {
  if (files.size() < 2) return {};
  PTEEDIT_ASSIGN(const PlannedFile index, cli::PlanShardIndex(name, files));
  rewrite.Add(cli::IndexName(name), index, "index");
  return {};
}

struct SplitWords {
  bool constants = false, named_data = false, mutables = false;
  Names name, methods, backends;
  std::optional<uint64_t> min_size, max_size;
  std::optional<bool> bind;
  bool name_keys = false;
  uint64_t alignment = 0;
};

Result<SplitOptions> OptionsOf(const SplitWords& words, const std::string& data_name) {
  SplitOptions options;
  SplitSelection& selection = options.selection;
  selection.constants = words.constants;
  selection.named_data = words.named_data;
  selection.mutables = words.mutables;
  PTEEDIT_ASSIGN(selection.name_matches, cli::NameMatcher("name", words.name));
  selection.min_bytes = words.min_size.value_or(0);
  selection.methods = words.methods;
  selection.backends = words.backends;
  if (words.min_size) options.max_external_tensors = std::numeric_limits<uint64_t>::max();
  options.min_alignment = words.alignment;
  options.threads = cli::ThreadCount();
  options.data_name = data_name;
  options.new_data = !data_name.empty();
  options.max_shard_bytes = words.max_size;
  options.bind = BindOf(words.bind);
  options.name_keys = words.name_keys;
  return options;
}

Rewrite Split(const OpenedFile& program, const Files& data, const std::string& program_name,
              const std::string& data_name, const SplitWords& words, const MatchedFiles& match,
              const MatchedFiles& not_match, const Files& against) {
  Failures failures = FailuresOf(program, data);
  for (const Files* files : {&match.first, &not_match.first, &against}) failures.Add(FailuresOf(*files));
  return PlanWith(failures, [&]() -> Result<Rewrite> {
    const ProgramSet set(program.container(), ContainersOf(data));
    PTEEDIT_ASSIGN(SplitOptions options, OptionsOf(words, data_name));
    options.selection.match = MatchOf(match);
    options.selection.not_match = MatchOf(not_match);
    options.bases = ContainersOf(against);
    PTEEDIT_ASSIGN(SplitResult split, SplitProgram(set, options));
    Rewrite rewrite;
    rewrite.report.tool = "ptesplit";
    AddInput(rewrite, set.file(), false);
    AddInputs(rewrite, set.data(), true);
    AddInputs(rewrite, options.bases, true);
    for (const Container& base : options.bases) rewrite.report.bases.push_back(base.name());
    AddData(rewrite, data_name, split.data);
    rewrite.Add(program_name, split.program, "program");
    PTEEDIT_TRY(AddIndex(rewrite, data_name, split.data));
    rewrite.report.report = std::move(split.report);
    return rewrite;
  });
}

Rewrite Join(const OpenedFile& program, const Files& data, const std::string& program_name, uint64_t alignment) {
  return PlanWith(FailuresOf(program, data), [&]() -> Result<Rewrite> {
    const ProgramSet set(program.container(), ContainersOf(data));
    PTEEDIT_ASSIGN(JoinResult joined, JoinProgram(set, {alignment, program_name, cli::ThreadCount()}));
    Rewrite rewrite;
    rewrite.report.tool = "ptesplit";
    AddInput(rewrite, set.file(), false);
    AddInputs(rewrite, set.data(), false);
    rewrite.Add(program_name, joined.program, "program");
    rewrite.report.report = std::move(joined.report);
    return rewrite;
  });
}

const char* RoleOf(FileKind kind) { return kind == FileKind::kData ? "shared" : "program"; }

// Of one file another: StripResult or CopyResult.
template <class Done>
Rewrite OneOfOne(const char* tool, const Container& file, const std::string& name, Done done) {
  Rewrite rewrite;
  rewrite.report.tool = tool;
  AddInput(rewrite, file, false);
  rewrite.Add(name, done.file, RoleOf(done.kind));
  rewrite.report.report = std::move(done.report);
  return rewrite;
}

constexpr char kDebugName[] = "debug.pte";

Rewrite Strip(const OpenedFile& file, const std::string& name, const Names& words, const Files& programs,
              uint64_t alignment) {
  const auto given = [&](const char* word) { return std::find(words.begin(), words.end(), word) != words.end(); };
  StripOptions options;
  options.debug = given("debug");
  options.keep_debug = given("keep_debug");
  options.unreferenced = given("unreferenced");
  options.padding = given("padding");
  options.dedupe = given("dedupe");
  options.overlap = given("overlap");
  options.repack = given("repack");
  options.unwrap = given("unwrap");
  options.programs = ContainersOf(programs);
  options.min_alignment = alignment;
  options.threads = cli::ThreadCount();
  return PlanWith(FailuresOf(file, programs), [&]() -> Result<Rewrite> {
    PTEEDIT_ASSIGN(StripResult stripped, pteedit::Strip(file.container(), options));
    const std::optional<PlannedFile> debug = std::move(stripped.debug);
    Rewrite rewrite = OneOfOne("ptestrip", file.container(), name, std::move(stripped));
    if (debug) rewrite.Add(kDebugName, *debug, cli::kDebugRole);
    for (const Container& program : options.programs) rewrite.inputs.push_back(program.name());
    return rewrite;
  });
}

// The program's name and its data's, then its files, the program first.
using MergeWords = std::vector<std::tuple<std::string, std::string, Files>>;

std::vector<MergeSet> SetsOf(const MergeWords& words) {
  std::vector<MergeSet> sets;
  for (const auto& [program_name, data_name, files] : words) {
    const std::vector<Container> opened = ContainersOf(files);
    sets.push_back({{opened.front(), {opened.begin() + 1, opened.end()}}, program_name, data_name});
  }
  return sets;
}

Status AddMerged(Rewrite& rewrite, const std::vector<MergeSet>& sets, const MergeOptions& options,
                 const MergeResult& merged) {
  AddData(rewrite, options.shared_name, merged.shared);
  for (size_t i = 0; i < sets.size(); ++i) {
    if (merged.programs[i].data) rewrite.Add(sets[i].data_name, *merged.programs[i].data, "variant");
  }
  for (size_t i = 0; i < sets.size(); ++i) {
    const MergedProgram& program = merged.programs[i];
    rewrite.Add(sets[i].program_name, program.program, "program");
    Names& data = rewrite.report.outputs.back().data.emplace();
    for (const size_t shard : program.shared)
      data.push_back(ShardName(options.shared_name, shard, merged.shared.size()));
    if (program.data) data.push_back(sets[i].data_name);
  }
  return AddIndex(rewrite, options.shared_name, merged.shared);
}

Rewrite Merge(const MergeWords& words, MergeOptions options, const MatchedFiles& match, const Files& against) {
  Failures failures = FailuresOf(against);
  failures.Add(FailuresOf(match.first));
  for (const auto& [program_name, data_name, files] : words) failures.Add(FailuresOf(files));
  return PlanWith(failures, [&]() -> Result<Rewrite> {
    const std::vector<MergeSet> sets = SetsOf(words);
    options.bases = ContainersOf(against);
    options.match = MatchOf(match);
    options.threads = cli::ThreadCount();
    PTEEDIT_ASSIGN(MergeResult merged, MergePrograms(sets, options));
    Rewrite rewrite;
    rewrite.report.tool = "ptemerge";
    AddInputs(rewrite, options.bases, true);
    for (const Container& base : options.bases) rewrite.report.bases.push_back(base.name());
    AddInputs(rewrite, merged.unused_data, true);
    for (const MergeSet& set : sets) {
      AddInput(rewrite, set.files.file(), false);
      AddInputs(rewrite, set.files.data(), false);
    }
    PTEEDIT_TRY(AddMerged(rewrite, sets, options, merged));
    rewrite.report.report = std::move(merged.report);
    return rewrite;
  });
}

Rewrite MergeNative(const std::vector<std::pair<std::string, OpenedFile>>& packages, const std::string& name) {
  Files files;
  for (const auto& [variant, file] : packages) files.push_back(file);
  return PlanWith(FailuresOf(files), [&]() -> Result<Rewrite> {
    std::vector<PackageVariant> variants;
    for (const auto& [variant, file] : packages) variants.push_back({file.container(), variant});
    PTEEDIT_ASSIGN(MergedPackage merged, MergePackages(variants, name, cli::ThreadCount()));
    Rewrite rewrite;
    rewrite.report.tool = "ptemerge";
    AddInputs(rewrite, ContainersOf(files), false);
    rewrite.Add(name, merged.package, "program");
    rewrite.report.report = std::move(merged.report);
    return rewrite;
  });
}

// A constant method's value, or several.
using MethodValue = std::variant<bool, int64_t, double, std::string>;
using MethodWords = std::tuple<std::string, std::vector<MethodValue>, bool>;  // name, items, whether it is a list

NewConstantMethod MethodOf(const MethodWords& words) {
  NewConstantMethod method;
  method.name = std::get<0>(words);
  method.is_list = std::get<2>(words);
  for (const MethodValue& value : std::get<1>(words))
    std::visit([&](const auto& item) { method.items.emplace_back(item); }, value);
  return method;
}

struct CopyWords {
  CopyOptions options;
  Names remove_data;  // expressions
  Failures failures;  // of programs whose methods are added
};

Rewrite Copy(const OpenedFile& file, const std::string& name, const CopyWords& words) {
  Failures failures = words.failures;
  failures.Add(file.failure());
  return PlanWith(failures, [&]() -> Result<Rewrite> {
    CopyOptions options = words.options;
    PTEEDIT_ASSIGN(options.remove_data, cli::NameMatcher("remove_data", words.remove_data));
    options.threads = cli::ThreadCount();
    options.output_name = name;
    PTEEDIT_ASSIGN(CopyResult copy, pteedit::Copy(file.container(), options));
    Rewrite rewrite = OneOfOne("ptecopy", file.container(), name, std::move(copy));
    for (const AddedMethods& added : options.add_methods) AddInput(rewrite, added.program, false);
    return rewrite;
  });
}

py::object ReportOf(const Rewrite& rewrite) {
  cli::Json report = cli::RewriteJson(rewrite.report);
  report.erase("dry_run");
  return ReportToPython(report);
}

py::bytes OutputBytes(const Rewrite& rewrite, size_t output) {
  const std::shared_ptr<const Source> source = rewrite.outputs.at(output).file.AsSource(rewrite.outputs[output].path);
  PyObject* made = PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(source->size()));
  if (made == nullptr) throw py::error_already_set();
  const auto bytes = py::reinterpret_steal<py::bytes>(made);
  auto* data = reinterpret_cast<uint8_t*>(PyBytes_AsString(made));
  WorkOnly(rewrite.failures, [&] { return source->Read(0, {data, static_cast<size_t>(source->size())}); });
  return bytes;
}

// The outputs at these paths: the program, or whatever is alone, and what comes with it: a debug file, or the data
// file, beside which its shards lie.
Result<std::vector<Output>> OutputsAt(const Rewrite& rewrite, const std::string& path, const std::string& data_path) {
  std::vector<Output> outputs;
  const std::vector<PlannedFile> data = rewrite.Shared();
  size_t shard = 0;
  for (size_t i = 0; i < rewrite.outputs.size(); ++i) {
    const std::string& role = rewrite.report.outputs[i].role;
    if (rewrite.outputs.size() == 1 || role == "program") {
      outputs.push_back({path, rewrite.outputs[i].file});
    } else if (role == cli::kDebugRole) {
      outputs.push_back({data_path, rewrite.outputs[i].file});
    } else if (role == "shared") {
      outputs.push_back({ShardName(data_path, shard++, data.size()), rewrite.outputs[i].file});
    } else {
      PTEEDIT_ASSIGN(const PlannedFile index, cli::PlanShardIndex(data_path, data));
      outputs.push_back({cli::IndexName(data_path), index});
    }
  }
  return outputs;
}

// Into a folder, or at one or two paths. Returns where they are.
Names Save(const Rewrite& rewrite, const Path& path, const std::optional<Path>& data_path, bool to_folder, bool replace,
           const py::object& progress) {
  const Watcher watcher(progress);
  const WriteOptions options{replace, false, watcher.Function()};
  const Failures failures = watcher.FailuresWith(rewrite.failures);
  const std::vector<WrittenFile> written = Work(failures, [&]() -> Result<std::vector<WrittenFile>> {
    if (to_folder) return WriteFolder(path.string(), rewrite.outputs, rewrite.inputs, options);
    PTEEDIT_ASSIGN(const std::vector<Output> outputs,
                   OutputsAt(rewrite, path.string(), data_path.value_or(Path()).string()));
    return WriteFiles(outputs, rewrite.inputs, options);
  });
  Names names;
  for (const WrittenFile& file : written) names.push_back(to_folder ? (path / file.path).string() : file.path);
  return names;
}

Result<std::vector<ContentName>> NamesIn(const Path& path) {
  PTEEDIT_ASSIGN(const std::shared_ptr<const Source> source, cli::OpenWhole(path.string()));
  return ReadNames(source);
}

NewData DataOf(std::string key, const py::bytes& bytes, bool replace) {
  return {key, SourceOfBytes(key, bytes), replace};
}

std::shared_ptr<const Source> MetadataBytes(const std::string& key, const MetadataValue& value) {
  return MakeMemorySource(key, EncodeMetadata(value));
}

void AddWords(py::module_& module) {
  py::class_<SplitWords>(module, "SplitWords")
      .def(py::init<>())
      .def_readwrite("constants", &SplitWords::constants)
      .def_readwrite("named_data", &SplitWords::named_data)
      .def_readwrite("mutables", &SplitWords::mutables)
      .def_readwrite("name", &SplitWords::name)
      .def_readwrite("methods", &SplitWords::methods)
      .def_readwrite("backends", &SplitWords::backends)
      .def_readwrite("min_size", &SplitWords::min_size)
      .def_readwrite("max_size", &SplitWords::max_size)
      .def_readwrite("bind", &SplitWords::bind)
      .def_readwrite("name_keys", &SplitWords::name_keys)
      .def_readwrite("alignment", &SplitWords::alignment);
  py::class_<CopyWords>(module, "CopyWords")
      .def(py::init([](uint64_t alignment) {
             CopyWords words;
             words.options.min_alignment = alignment;
             return words;
           }),
           "alignment"_a)
      .def("keep_methods", [](CopyWords& words, Names names) { words.options.keep_methods = std::move(names); })
      .def("remove_methods", [](CopyWords& words, Names names) { words.options.remove_methods = std::move(names); })
      .def("rename_methods", [](CopyWords& words, Renames names) { words.options.rename_methods = std::move(names); })
      .def("set_method",
           [](CopyWords& words, const MethodWords& method) { words.options.set_methods.push_back(MethodOf(method)); })
      .def("remove_metadata",
           [](CopyWords& words, const std::string& key) {
             words.options.remove_keys.push_back(std::string(kMetadataPrefix) + key);
           })
      .def("set_metadata",
           [](CopyWords& words, const std::string& key, const MetadataValue& value) {
             const std::string name = std::string(kMetadataPrefix) + key;
             words.options.add_data.push_back({name, MetadataBytes(name, value), true});
           })
      .def("remove_data", [](CopyWords& words, Names expressions) { words.remove_data = std::move(expressions); })
      .def("rename_keys", [](CopyWords& words, Renames names) { words.options.rename_keys = std::move(names); })
      .def("add_data",
           [](CopyWords& words, std::string key, const py::bytes& bytes) {
             words.options.add_data.push_back(DataOf(std::move(key), bytes, false));
           })
      .def("upgrade", [](CopyWords& words) { words.options.upgrade = true; })
      .def("add_methods",
           [](CopyWords& words, const OpenedFile& program, std::string method, std::string name) {
             words.failures.Add(program.failure());
             words.options.add_methods.push_back({program.container(), std::move(method), std::move(name)});
           })
      .def("add_names",
           [](CopyWords& words, const Path& path) {
             for (ContentName& name : Work({}, [&] { return NamesIn(path); }))
               words.options.names.push_back(std::move(name));
           })
      .def("replace",
           [](CopyWords& words, std::string name, const py::bytes& bytes) {
             std::shared_ptr<const Source> file = SourceOfBytes(name, bytes);
             words.options.replace.push_back({std::move(name), std::move(file)});
           })
      .def("refit",
           [](CopyWords& words, const Path& path) {
             words.options.refit.push_back(Work({}, [&] { return cli::OpenWhole(path.string()); }));
           })
      .def("splat", [](CopyWords& words, std::optional<uint64_t> seed) { words.options.splat = Splat{seed}; });
}

}  // namespace

void AddRewrites(py::module_& module) {
  AddWords(module);
  py::class_<Rewrite> face(module, "Rewrite");
  face.def_property_readonly("names",
                             [](const Rewrite& rewrite) {
                               Names names;
                               for (const Output& output : rewrite.outputs) names.push_back(output.path);
                               return ToPython(names);
                             })
      .def("report", &ReportOf)
      .def("to_bytes", &OutputBytes, "output"_a)
      .def(
          "open",
          [](const Rewrite& rewrite, size_t output) {
            const Output& planned = rewrite.outputs.at(output);
            return OpenedFile::Open(Stoppable(planned.file.AsSource("<" + planned.path + ">")));
          },
          "output"_a)
      .def("save", &Save, "path"_a, "data_path"_a, "to_folder"_a, "replace"_a, "progress"_a);
  AddPieces(module, face);
  module.def("split", &Split, "program"_a, "data"_a, "program_name"_a, "data_name"_a, "words"_a, "match"_a,
             "not_match"_a, "against"_a);
  module.def("join", &Join, "program"_a, "data"_a, "program_name"_a, "alignment"_a);
  module.def("strip", &Strip, "file"_a, "name"_a, "words"_a, "programs"_a, "alignment"_a);
  module.def(
      "merge",
      [](const MergeWords& sets, const std::string& shared_name, bool with_data, std::optional<uint64_t> min_size,
         std::optional<uint64_t> max_size, std::optional<bool> bind, uint64_t alignment, const MatchedFiles& match,
         const Files& against) {
        MergeOptions options;
        options.variant_data = with_data ? VariantData::kDataFile : VariantData::kProgram;
        options.min_bytes = min_size;
        options.max_shard_bytes = max_size;
        options.bind = BindOf(bind);
        options.min_alignment = alignment;
        options.shared_name = shared_name;
        return Merge(sets, std::move(options), match, against);
      },
      "sets"_a, "shared_name"_a, "with_data"_a, "min_size"_a, "max_size"_a, "bind"_a, "alignment"_a, "match"_a,
      "against"_a);
  module.def("merge_packages", &MergeNative, "packages"_a, "name"_a);
  module.def("copy", &Copy, "file"_a, "name"_a, "words"_a);
}

}  // namespace pteedit::python
