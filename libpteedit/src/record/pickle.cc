#include "record/pickle.h"

#include <bit>
#include <cstring>
#include <map>

#include "base/text.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

using Kind = PickleNode::Kind;

// Ten times those of a record with a thousand tensors.
constexpr size_t kMaxNodes = 250'000;
constexpr size_t kMaxBytes = size_t{8} << 20;
constexpr uint8_t kMaxProtocol = 2;
constexpr size_t kLongBytes = 8;  // of the longest whole number

// As Python's pickletools names them.
enum class Opcode : uint8_t {
  kMark = '(',
  kStop = '.',
  kBinfloat = 'G',
  kBinint = 'J',
  kBinint1 = 'K',
  kBinint2 = 'M',
  kNone = 'N',
  kBinpersid = 'Q',
  kReduce = 'R',
  kBinunicode = 'X',
  kAppend = 'a',
  kGlobal = 'c',
  kAppends = 'e',
  kBinget = 'h',
  kLongBinget = 'j',
  kBinput = 'q',
  kLongBinput = 'r',
  kSetitem = 's',
  kTuple = 't',
  kSetitems = 'u',
  kEmptyDict = '}',
  kEmptyList = ']',
  kEmptyTuple = ')',
  kProto = 0x80,
  kTuple1 = 0x85,
  kTuple2 = 0x86,
  kTuple3 = 0x87,
  kNewtrue = 0x88,
  kNewfalse = 0x89,
  kLong1 = 0x8a,
};

class PickleReader {
 public:
  PickleReader(std::string_view bytes, IsKnownGlobal is_known) : bytes_(bytes), is_known_(is_known) {}

  Result<Pickle> Read() && {
    if (bytes_.size() > kMaxBytes) {
      return Unsupported(Text("pickle has ", bytes_.size(), " bytes, at most ", kMaxBytes, " are looked into"));
    }
    while (true) {
      PTEEDIT_ASSIGN(const auto code, ReadNumber<uint8_t>());
      opcode_at_ = at_ - 1;
      if (static_cast<Opcode>(code) == Opcode::kStop) break;
      PTEEDIT_TRY(Step(static_cast<Opcode>(code)));
      if (pickle_.nodes.size() > kMaxNodes || memo_.size() > kMaxNodes)
        return Unsupported(Text("pickle has more than ", kMaxNodes, " values"));
    }
    PTEEDIT_ASSIGN(pickle_.root, Pop());
    return std::move(pickle_);
  }

 private:
  Error Damage(const char* what) const { return Malformed(Text("pickle is damaged at byte ", opcode_at_, ": ", what)); }

  Result<std::string_view> Take(size_t size) {
    if (size > bytes_.size() - at_) return Malformed(Text("pickle ends at byte ", bytes_.size(), ", inside a value"));
    const std::string_view taken = bytes_.substr(at_, size);
    at_ += size;
    return taken;
  }

  template <class Number>
  Result<Number> ReadNumber() {
    PTEEDIT_ASSIGN(const std::string_view taken, Take(sizeof(Number)));
    Number number;
    std::memcpy(&number, taken.data(), sizeof number);
    return number;
  }

  Result<std::string_view> ReadLine() {
    const size_t end = bytes_.find('\n', at_);
    if (end == std::string_view::npos) return Damage("a name has no end");
    PTEEDIT_ASSIGN(const std::string_view line, Take(end - at_));
    ++at_;
    return line;
  }

  Status Step(Opcode opcode) {
    switch (opcode) {
      case Opcode::kProto:
        return CheckProtocol();
      case Opcode::kMark:
        marks_.push_back(stack_.size());
        return {};
      case Opcode::kNone:
        return Push({});
      case Opcode::kNewtrue:
      case Opcode::kNewfalse:
        return Push({Kind::kBool, opcode == Opcode::kNewtrue, 0, {}, {}, {}});
      case Opcode::kBinint:
        return PushInt<int32_t>();
      case Opcode::kBinint1:
        return PushInt<uint8_t>();
      case Opcode::kBinint2:
        return PushInt<uint16_t>();
      case Opcode::kLong1:
        return PushLong();
      case Opcode::kBinfloat:
        return PushReal();
      case Opcode::kBinunicode:
        return PushText();
      case Opcode::kGlobal:
        return PushGlobal();
      case Opcode::kBinget:
        return Recall(ReadNumber<uint8_t>());
      case Opcode::kLongBinget:
        return Recall(ReadNumber<uint32_t>());
      case Opcode::kBinput:
        return Remember(ReadNumber<uint8_t>());
      case Opcode::kLongBinput:
        return Remember(ReadNumber<uint32_t>());
      default:
        return Combine(opcode);
    }
  }

  // Opcodes that work on what is on the stack.
  Status Combine(Opcode opcode) {
    switch (opcode) {
      case Opcode::kEmptyList:
        return Push({Kind::kList, 0, 0, {}, {}, {}});
      case Opcode::kEmptyDict:
        return Push({Kind::kDict, 0, 0, {}, {}, {}});
      case Opcode::kEmptyTuple:
        return Push({Kind::kTuple, 0, 0, {}, {}, {}});
      case Opcode::kTuple1:
        return Wrap(Kind::kTuple, 1);
      case Opcode::kTuple2:
        return Wrap(Kind::kTuple, 2);
      case Opcode::kTuple3:
        return Wrap(Kind::kTuple, 3);
      case Opcode::kTuple:
        return WrapMarked();
      case Opcode::kAppend:
        return Extend(Kind::kList, 1);
      case Opcode::kAppends:
        return ExtendMarked(Kind::kList);
      case Opcode::kSetitem:
        return Extend(Kind::kDict, 2);
      case Opcode::kSetitems:
        return ExtendMarked(Kind::kDict);
      case Opcode::kReduce:
        return Call();
      case Opcode::kBinpersid:
        return Wrap(Kind::kPersistent, 1);
      default:
        return Unsupported(Text("pickle has opcode ", Hex(static_cast<uint8_t>(opcode)), " at byte ", opcode_at_,
                                ", which tensors do not need"));
    }
  }

  Status CheckProtocol() {
    PTEEDIT_ASSIGN(const auto protocol, ReadNumber<uint8_t>());
    if (protocol <= kMaxProtocol) return {};
    return Unsupported(Text("pickle is of protocol ", protocol, ", at most ", kMaxProtocol, " is read"));
  }

  Status Push(PickleNode node) {
    stack_.push_back(pickle_.nodes.size());
    pickle_.nodes.push_back(std::move(node));
    return {};
  }

  template <class Number>
  Status PushInt() {
    PTEEDIT_ASSIGN(const auto number, ReadNumber<Number>());
    return Push({Kind::kInt, int64_t{number}, 0, {}, {}, {}});
  }

  // In two's complement, as short as it can be.
  Status PushLong() {
    PTEEDIT_ASSIGN(const auto size, ReadNumber<uint8_t>());
    PTEEDIT_ASSIGN(const std::string_view bytes, Take(size));
    if (size > kLongBytes) return Unsupported(Text("pickle has a number of ", size, " bytes at byte ", opcode_at_));
    const bool is_negative = size != 0 && (static_cast<uint8_t>(bytes.back()) & 0x80) != 0;
    uint64_t number = is_negative ? ~uint64_t{0} : 0;
    std::memcpy(&number, bytes.data(), size);
    return Push({Kind::kInt, static_cast<int64_t>(number), 0, {}, {}, {}});
  }

  // Its bytes are in big-endian order, alone among all numbers.
  Status PushReal() {
    PTEEDIT_ASSIGN(const std::string_view bytes, Take(sizeof(double)));
    uint64_t bits = 0;
    for (const char byte : bytes) bits = bits << 8 | static_cast<uint8_t>(byte);
    return Push({Kind::kReal, 0, std::bit_cast<double>(bits), {}, {}, {}});
  }

  Status PushText() {
    PTEEDIT_ASSIGN(const auto size, ReadNumber<uint32_t>());
    PTEEDIT_ASSIGN(const std::string_view text, Take(size));
    return Push({Kind::kText, 0, 0, text, {}, {}});
  }

  Status PushGlobal() {
    PTEEDIT_ASSIGN(const std::string_view module, ReadLine());
    PTEEDIT_ASSIGN(const std::string_view name, ReadLine());
    if (is_known_(module, name)) return Push({Kind::kGlobal, 0, 0, name, module, {}});
    return Unsupported(Text("pickle asks for ", Quoted(Text(module, '.', name)), " at byte ", opcode_at_,
                            ", which tensors do not need"));
  }

  // What is memoized is the node itself: a list that is filled later is filled for all that hold it.
  template <class Number>
  Status Remember(Result<Number> index) {
    if (!index) return index.error();
    PTEEDIT_ASSIGN(const size_t node, Pop());
    stack_.push_back(node);
    memo_[*index] = node;
    return {};
  }

  template <class Number>
  Status Recall(Result<Number> index) {
    if (!index) return index.error();
    const auto found = memo_.find(*index);
    if (found == memo_.end()) return Damage("it recalls what it never kept");
    stack_.push_back(found->second);
    return {};
  }

  // Nothing below the last mark.
  Result<size_t> Pop() {
    if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) return Damage("it uses a value that is not there");
    const size_t node = stack_.back();
    stack_.pop_back();
    return node;
  }

  Result<std::vector<size_t>> PopSome(size_t count) {
    std::vector<size_t> items(count);
    for (size_t i = count; i-- > 0;) {
      PTEEDIT_ASSIGN(items[i], Pop());
    }
    return items;
  }

  // All above the last mark, which is gone then.
  Result<std::vector<size_t>> PopMarked() {
    if (marks_.empty()) return Damage("it ends a list that was not begun");
    std::vector<size_t> items(stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back()), stack_.end());
    stack_.resize(marks_.back());
    marks_.pop_back();
    return items;
  }

  Status Wrap(Kind kind, size_t count) {
    PTEEDIT_ASSIGN(std::vector<size_t> items, PopSome(count));
    return Push({kind, 0, 0, {}, {}, std::move(items)});
  }

  // An empty OrderedDict is a dictionary; other calls are for the caller to understand.
  Status Call() {
    PTEEDIT_ASSIGN(std::vector<size_t> items, PopSome(2));
    const PickleNode &callee = pickle_.nodes[items[0]], &arguments = pickle_.nodes[items[1]];
    if (callee.kind != Kind::kGlobal || arguments.kind != Kind::kTuple) return Damage("it calls what cannot be called");
    const bool is_dict = callee.text == "OrderedDict" && arguments.items.empty();
    if (is_dict) return Push({Kind::kDict, 0, 0, {}, {}, {}});
    return Push({Kind::kCall, 0, 0, {}, {}, std::move(items)});
  }

  Status WrapMarked() {
    PTEEDIT_ASSIGN(std::vector<size_t> items, PopMarked());
    return Push({Kind::kTuple, 0, 0, {}, {}, std::move(items)});
  }

  Status Extend(Kind kind, size_t count) {
    PTEEDIT_ASSIGN(const std::vector<size_t> items, PopSome(count));
    return ExtendTop(kind, items);
  }

  Status ExtendMarked(Kind kind) {
    PTEEDIT_ASSIGN(const std::vector<size_t> items, PopMarked());
    return ExtendTop(kind, items);
  }

  Status ExtendTop(Kind kind, const std::vector<size_t>& items) {
    PTEEDIT_ASSIGN(const size_t top, Pop());
    PickleNode& node = pickle_.nodes[top];
    if (node.kind != kind) return Damage("it adds to what is neither list nor dictionary");
    if (kind == Kind::kDict && items.size() % 2 != 0) return Damage("a key has no value");
    node.items.insert(node.items.end(), items.begin(), items.end());
    stack_.push_back(top);
    return {};
  }

  std::string_view bytes_;
  IsKnownGlobal is_known_;
  size_t at_ = 0, opcode_at_ = 0;
  Pickle pickle_;
  std::vector<size_t> stack_, marks_;  // marks are sizes of the stack
  std::map<uint32_t, size_t> memo_;
};

}  // namespace

Result<Pickle> ReadPickle(std::string_view bytes, IsKnownGlobal is_known) {
  return PickleReader(bytes, is_known).Read();
}

}  // namespace pteedit
