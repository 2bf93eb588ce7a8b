"""Checks that files include the standard headers whose names they use, and no others: a precompiled header hides both. And that
none uses a container that hashes: a file could choose what it holds so that all of it has one hash, and each look takes a walk.
And that the page for browsers, which Debian 12 has an old library for, can be built.

A header has to include them itself, a .cc may leave that to any file of ours but for streams. That a header is
whole otherwise shows where a .cc includes its own header first and is compiled without the precompiled one.
"""

import re

from checks import ROOT, expect_none

# Each header with the names that ask for it; one that several headers have counts for all of them.
NAMES = {
    "algorithm": "all_of any_of none_of find find_if find_if_not count count_if sort stable_sort partial_sort max min max_element "
                 "min_element minmax clamp copy copy_n copy_if transform fill fill_n generate equal search reverse rotate unique "
                 "remove_if remove lower_bound upper_bound equal_range binary_search is_sorted merge set_difference "
                 "set_intersection set_union includes replace for_each mismatch lexicographical_compare adjacent_find "
                 "nth_element partition partition_point stable_partition push_heap pop_heap make_heap is_permutation next_permutation "
                 "inplace_merge swap_ranges ranges",
    "array": "array to_array",
    "atomic": "atomic atomic_flag memory_order_relaxed memory_order_acquire memory_order_release",
    "bit": "bit_cast countr_zero countl_zero has_single_bit bit_ceil bit_floor bit_width popcount endian",
    "cassert": "assert",
    "cctype": "isdigit isalpha isalnum isspace tolower toupper isprint islower isupper isxdigit",
    "charconv": "to_chars from_chars from_chars_result to_chars_result chars_format",
    "chrono": "chrono",
    "cmath": "isnormal isnan isinf isfinite sqrt pow log log2 log10 exp exp2 floor ceil round lround llround fabs abs nan fmod ldexp "
             "frexp trunc nearbyint signbit copysign modf scalbn rint",
    "condition_variable": "condition_variable",
    "csignal": "signal SIGINT SIGTERM SIGHUP SIGPIPE sigaction sigset_t sig_atomic_t",
    "cstddef": "size_t ptrdiff_t byte max_align_t nullptr_t offsetof",
    "cstdint": "uint8_t uint16_t uint32_t uint64_t int8_t int16_t int32_t int64_t uintptr_t intptr_t uintmax_t",
    "cstdio": "printf fprintf snprintf fopen fclose fread fwrite fflush stderr stdout rename FILE perror sscanf fputs",
    "cstdlib": "getenv abort exit _Exit free malloc calloc realloc strtol strtoull strtod mkdtemp mkstemp abs atoi",
    "cstring": "memcpy memcmp memmove memset strlen strcmp strncmp strerror strchr strrchr memchr strstr",
    "ctime": "time_t time tm gmtime localtime strftime gmtime_r",
    "cerrno": "errno",
    "deque": "deque",
    "exception": "exception terminate exception_ptr current_exception rethrow_exception uncaught_exceptions",
    "filesystem": "filesystem",
    "fstream": "ifstream ofstream fstream",
    "functional": "function less greater hash reference_wrapper ref cref bind plus multiplies equal_to not_fn invoke minus "
                  "not_equal_to less_equal greater_equal identity",
    "initializer_list": "initializer_list",
    "iomanip": "setw setprecision setfill",
    "ios": "ios ios_base streamsize",
    "iostream": "cout cerr cin clog",
    "istream": "istream getline",
    "iterator": "back_inserter front_inserter inserter make_move_iterator move_iterator reverse_iterator make_reverse_iterator "
                "distance advance next prev istreambuf_iterator size ssize data begin end rbegin rend empty iterator_traits "
                "random_access_iterator_tag forward_iterator_tag input_iterator_tag",
    "limits": "numeric_limits",
    "list": "list",
    "map": "map multimap",
    "memory": "unique_ptr shared_ptr weak_ptr make_unique make_shared enable_shared_from_this addressof allocator "
              "static_pointer_cast const_pointer_cast default_delete owner_less",
    "mutex": "mutex lock_guard unique_lock once_flag call_once scoped_lock recursive_mutex",
    "new": "bad_alloc nothrow launder align_val_t",
    "numeric": "accumulate iota gcd lcm partial_sum reduce transform_reduce inner_product adjacent_difference",
    "optional": "optional nullopt nullopt_t make_optional",
    "ostream": "ostream endl flush",
    "queue": "queue priority_queue",
    "random": "mt19937 mt19937_64 uniform_int_distribution random_device",
    "regex": "regex regex_search regex_match smatch cmatch regex_replace regex_error sregex_iterator",
    "set": "set multiset",
    "span": "span dynamic_extent",
    "sstream": "stringstream ostringstream istringstream",
    "stack": "stack",
    "stdexcept": "runtime_error logic_error invalid_argument out_of_range length_error",
    "string": "string to_string stoi stol stoul stoull stod getline u16string u32string basic_string char_traits",
    "string_view": "string_view basic_string_view u16string_view",
    "system_error": "error_code errc system_error generic_category make_error_code",
    "thread": "thread this_thread jthread",
    "tuple": "tuple make_tuple tie get apply forward_as_tuple tuple_size ignore",
    "type_traits": "is_same_v is_same enable_if_t enable_if decay_t remove_reference_t is_integral_v is_signed_v is_unsigned_v "
                   "make_unsigned_t make_signed_t conditional_t is_floating_point_v is_base_of_v void_t remove_cv_t "
                   "remove_cvref_t is_arithmetic_v is_convertible_v underlying_type_t true_type false_type "
                   "is_trivially_copyable_v is_enum_v invoke_result_t common_type_t remove_const_t is_const_v add_const_t "
                   "is_void_v is_pointer_v integral_constant is_invocable_v is_constructible_v is_class_v",
    "utility": "move forward pair make_pair swap exchange in_place in_place_t in_place_index in_place_type get declval as_const "
               "cmp_less cmp_greater cmp_equal cmp_less_equal cmp_greater_equal in_range index_sequence make_index_sequence "
               "piecewise_construct to_underlying unreachable integer_sequence",
    "variant": "variant get get_if visit holds_alternative monostate variant_size_v in_place_index in_place_type variant_alternative_t",
    "vector": "vector",
    "concepts": "integral same_as floating_point unsigned_integral signed_integral invocable convertible_to derived_from",
    "compare": "strong_ordering weak_ordering partial_ordering",
    "locale": "locale",
    "climits": "INT_MAX INT_MIN UINT_MAX CHAR_BIT LONG_MAX PATH_MAX",
    "cinttypes": "PRIu64 PRIx64 PRId64",
}
# These have names without std:: too.
GLOBAL = ("cassert cerrno climits cinttypes cstdint cstddef csignal cstdio cstdlib cstring ctime cctype cmath").split()
# A header comes with others that its own interface needs: no need to ask for both.
BRINGS = {
    "iostream": "ostream istream ios string", "sstream": "ostream istream ios string", "fstream": "ostream istream ios string",
    "string": "string_view", "map": "utility functional", "set": "functional",
    "queue": "functional vector", "ostream": "ios", "istream": "ios", "filesystem": "system_error",
    "memory": "", "iomanip": "ios",
}
# What others declare and only these define: a file that uses such a name compiles where some other brought the header.
ONLY_DECLARED = {"sstream", "fstream"}
# Names that are everywhere once a container is included, and that hide nothing.
EVERYWHERE = set("size_t ptrdiff_t nullptr_t initializer_list begin end size data empty".split())

# What libc++ 13 has of std::ranges; what a header of ours lends it comes on top. Only the page for browsers is built with it.
RANGES = set("begin end size data empty less greater equal_to identity".split())
LENT = ROOT / "web" / "old" / "libcxx13.h"
NOT_IN_PAGE = ("libpteedit/src/profile", "libpteedit/src/package", "tools/pte", "tools/command_line.cc", "tools/option_table.cc")
TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|R"\(.*?\)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.DOTALL)
INCLUDE = re.compile(r"^\s*#\s*include\s*<([a-z_]+(?:\.h)?)>", re.MULTILINE)
RANGE = re.compile(r"\bstd::ranges::(\w+)")
QUALIFIED = re.compile(r"\bstd::(\w+)")
WORD = re.compile(r"(?<![\w:.>])(\w+)")


def headers_of(name, is_qualified):
    return {header for header, names in NAMES.items()
            if name in names.split() and (is_qualified or header in GLOBAL)}


def problems_of(path):
    code = TEXT.sub('""', path.read_text())
    included = {header for header in INCLUDE.findall(code) if header in NAMES}
    code = re.sub(r"^\s*#\s*include.*$", "", code, flags=re.MULTILINE)
    qualified = set(QUALIFIED.findall(code))
    used = [(name, headers_of(name, True)) for name in qualified] + [
        (name, headers_of(name, False)) for name in set(WORD.findall(code)) - qualified]
    is_comparing = {"compare"} if "<=>" in code else set()
    asked = is_comparing.union(*(headers for _, headers in used))
    for header in sorted(included - asked):
        yield f"includes <{header}> and uses nothing of it"
    for name in sorted(qualified):
        if name.startswith("unordered_"):
            yield f"uses std::{name}; std::{name.removeprefix('unordered_')} takes no longer, whatever is in it"
    brought = included | {other for header in included for other in BRINGS.get(header, "").split()}
    for name, headers in sorted(used):
        if path.suffix != ".h" and not headers & ONLY_DECLARED:
            continue
        if headers and not headers & brought and name in qualified and name not in EVERYWHERE:
            yield f"uses std::{name} without " + " or ".join(f"<{header}>" for header in sorted(headers))


def check():
    ranges = RANGES.union(re.findall(r"^constexpr \w+ (\w+)\(", LENT.read_text(), re.MULTILINE))
    for folder in ("libpteedit", "tools"):
        for path in sorted((ROOT / folder).rglob("*.*")):
            if path.suffix not in (".cc", ".h"):
                continue
            place = path.relative_to(ROOT)
            expect_none(problems_of(path), place)
            if not str(place).startswith(NOT_IN_PAGE):
                lacking = sorted(set(RANGE.findall(path.read_text())) - ranges)
                expect_none((f"uses std::ranges::{name}, which {LENT.name} lacks" for name in lacking), place)
