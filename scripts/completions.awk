# Reads the --help of a tool, and of its commands behind lines "@ COMMAND"; prints completions for bash, zsh or fish.
# awk -f completions.awk -v shell=SHELL -v tool=TOOL. A value that --help calls by a name not told in KindOf is an error.

BEGIN {
  kinds = "FILE.ptd=ptd BASE=ptd PTE=pte IN=pte,ptd,bpte,etrecord RECORD=etrecord DUMP=etdp,etrecord pteprof:OLD=etdp"
  kinds = kinds " pteinspect:FILE...=pte,ptd,bpte,ptn,etdp,etrecord,etm,bin SET=pte,ptd,bpte,etm OLD[,OLD.ptd...]=pte,ptd,bpte,ptn"
  kinds = kinds " OTHER[,OTHER.ptd...]=pte,ptd,bpte,ptn OTHER,BUFFER[,RECORD]=etdp PTE[:METHOD[=NEW]]=pte PROGRAM=pte,ptd,bpte DATA=ptd"
  kinds = kinds " FILE=any OUT=any LIST=any BUFFER=any OFFER=any TARGET=any"
  kinds = kinds " DIR=folder RELEASE=folder DELTA=folder NEW=folder OLD=folder"
  kinds = kinds " NAME=none REGEX=none SIZE=none OFFSET=none LIMIT=none N=none N%=none N-M=none METHOD=none BACKEND=none"
  kinds = kinds " LEVEL=none X.Y=none PATH=none GRAPH=none KEY=none OLD=NEW=none NAME=VALUE=none KEY=VALUE=none"
  kinds = kinds " KEY=FILE=none NAME=FILE=none ROLE:FILE=none NAME=KEY:VALUE,...=none BACKEND=COMMAND=none COMMAND=none PEAK=none"
  kinds = kinds " zeros|random:SEED=none"
  count = split(kinds, rows, " ")
  for (i = 1; i <= count; ++i) {
    equals = length(rows[i])
    while (substr(rows[i], equals, 1) != "=") --equals
    kind_of[substr(rows[i], 1, equals - 1)] = substr(rows[i], equals + 1)
  }
  kColumn = 31
  scope = 0
  scopes = 1
  scope_name[0] = ""
}

function Fail(message) {
  print "completions.awk: " tool ": " message >"/dev/stderr"
  failed = 1
  exit 1
}

# What completes a value: extensions with commas between them, "any" file, "folder", "none".
function KindOf(value, is_list, key) {
  if (is_list && (tool ":" value "...") in kind_of) return kind_of[tool ":" value "..."]
  key = tool ":" value
  if (key in kind_of) return kind_of[key]
  if (value in kind_of) return kind_of[value]
  Fail("no completion is known for the value '" value "'")
}

# Of the head of a row, "-o,--output FILE REQUIRED": names, value, choices.
function AddRow(head, purpose, words, n, value, is_list, row, open) {
  n = split(head, words, " ")
  is_list = (head " ") ~ / \.\.\. /
  value = n > 1 && words[2] != "REQUIRED" && words[2] != "..." ? words[2] : ""
  row = rows_of[scope]++
  is_repeated[scope, row] = is_list
  is_optional[scope, row] = value ~ /^\[=/
  if (is_optional[scope, row]) value = substr(value, 3, length(value) - 3)
  open = index(value, ":{")
  if (open) {
    choices[scope, row] = substr(value, open + 2, index(value, "}") - open - 2)
    gsub(/,/, " ", choices[scope, row])
    value = substr(value, 1, open - 1)
    has_commas[scope, row] = value ~ /,/
  } else {
    sub(/:(UINT|INT).*/, "", value)
  }
  if (section == "positionals") value = words[1]
  names[scope, row] = section == "positionals" ? "" : words[1]
  values[scope, row] = value
  purposes[scope, row] = purpose
  if (value != "" && !open) kinds_at[scope, row] = KindOf(value, is_list && section == "positionals")
}

# A purpose begins at this column, or on a line of its own where the head is too long for that.
function Flush(purpose) {
  if (pending == "") return
  if (purpose == "") AddRow(substr(pending, 3, kColumn - 3), substr(pending, kColumn))
  if (purpose != "") AddRow(substr(pending, 3), purpose)
  pending = ""
}

substr($0, 1, kColumn - 1) ~ /^ +$/ && section != "" {
  Flush(substr($0, kColumn))
  next
}
{ Flush("") }
/^@ / {
  scope = scopes++
  scope_name[scope] = $2
  section = ""
  next
}
/^Positionals:/ { section = "positionals" }
/^Options:/ { section = "options" }
/^Examples:/ { section = "" }
/^Commands:/ { section = "commands" }
/^  [^ ]/ && section == "commands" {
  about = $0
  sub(/^  [a-z]+ +/, "", about)
  command_purposes[$1] = about
  next
}
/^  [^ ]/ && section != "" { pending = $0 }

END {
  if (failed) exit 1
  Flush("")
  if (shell == "bash") Bash()
  if (shell == "zsh") Zsh()
  if (shell == "fish") Fish()
}

function Commands(between, text, s) {
  for (s = 1; s < scopes; ++s) text = text (s > 1 ? between : "") scope_name[s]
  return text
}

# --- bash ---

# The patterns of `case` for an option's names; with '=' behind a name is how "--name=value" looks there.
function BashPattern(scope, row, parts, n, i, text) {
  n = split(names[scope, row], parts, ",")
  for (i = 1; i <= n; ++i) {
    if (!is_optional[scope, row]) text = text (text == "" ? "" : " | ") parts[i]
    if (parts[i] ~ /^--/) text = text (text == "" ? "" : " | ") parts[i] "="
  }
  return text
}

function BashValue(scope, row) {
  if ((scope, row) in choices) return "words='" choices[scope, row] "'" (has_commas[scope, row] ? " before=${word%\"${word##*,}\"}" : "")
  if (kinds_at[scope, row] == "none") return "return"
  return BashFiles(kinds_at[scope, row], values[scope, row])
}

function BashFiles(kind, value) {
  gsub(/,/, " ", kind)
  return "files='" kind "'" (value ~ /^SET$|,/ ? " before=${word%\"${word##*,}\"}" : "")
}

function BashScope(scope, indent, row, words, files, kinds, has_sets) {
  print indent "case $option in"
  for (row = 0; row < rows_of[scope]; ++row) {
    if (names[scope, row] == "") {
      kinds = kinds (kinds == "" ? "" : ",") kinds_at[scope, row]
      has_sets = has_sets || values[scope, row] == "SET"
      continue
    }
    words = words (words == "" ? "" : " ") names[scope, row]
    if (values[scope, row] != "") print indent "  " BashPattern(scope, row) ") " BashValue(scope, row) " ;;"
  }
  gsub(/,/, " ", words)
  files = scope == 0 && scopes > 1 ? "words='" Commands(" ") "'" : BashFiles(kinds, has_sets ? "SET" : "")
  print indent "  *)"
  print indent "    case $word in"
  print indent "      -*) words='" words "' ;;"
  print indent "      *) " files " ;;"
  print indent "    esac"
  print indent "    ;;"
  print indent "esac"
}

function Bash(s) {
  print "# What bash completes of " tool ", made of its --help."
  print "_" tool "() {"
  print "  local word=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]} before='' words='' files='' ending"
  print "  COMPREPLY=()"
  print "  if [[ $word == '=' ]]; then"
  print "    word='' option+='='"
  print "  elif [[ $option == '=' && COMP_CWORD -ge 2 ]]; then"
  print "    option=${COMP_WORDS[COMP_CWORD - 2]}="
  print "  fi"
  if (scopes > 1) {
    print "  case $((COMP_CWORD > 1)):${COMP_WORDS[1]} in"
    for (s = 1; s < scopes; ++s) {
      print "    1:" scope_name[s] ")"
      BashScope(s, "      ")
      print "      ;;"
    }
    print "    0:*)"
    BashScope(0, "      ")
    print "      ;;"
    print "  esac"
  } else {
    BashScope(0, "  ")
  }
  print "  word=${word#\"$before\"}"
  print "  local IFS=$'\\n'"
  print "  case $files in"
  print "    '') COMPREPLY=($(IFS=' '; compgen -P \"$before\" -W \"$words\" -- \"$word\")) ;;"
  print "    any) COMPREPLY=($(compgen -f -- \"$word\")) ;;"
  print "    folder) COMPREPLY=($(compgen -d -- \"$word\")) ;;"
  print "    *)"
  print "      COMPREPLY=($("
  print "        compgen -P \"$before\" -d -- \"$word\""
  print "        IFS=' '"
  print "        for ending in $files; do compgen -P \"$before\" -f -X \"!*.$ending\" -- \"$word\"; done"
  print "      ))"
  print "      ;;"
  print "  esac"
  print "  if [[ $files ]]; then compopt -o filenames 2>/dev/null; fi"
  print "}"
  print "complete -F _" tool " " tool
}

# --- zsh ---

function ZshText(text) {
  gsub(/\\/, "\\\\", text)
  gsub(/'/, "'\\''", text)
  gsub(/\[/, "\\[", text)
  gsub(/\]/, "\\]", text)
  gsub(/:/, "\\:", text)
  return text
}

function ZshAction(scope, row, kind) {
  if ((scope, row) in choices)
    return has_commas[scope, row] ? "_values -s , " values[scope, row] " " choices[scope, row] : "(" choices[scope, row] ")"
  kind = kinds_at[scope, row]
  if (kind == "none") return " "
  if (kind == "any") return "_files"
  if (kind == "folder") return "_files -/"
  gsub(/,/, "|", kind)
  return "_files -g \"*.(" kind ")\""
}

function ZshScope(scope, indent, row, parts, n, i, spec, tail, star, position) {
  print indent "_arguments -s \\"
  for (row = 0; row < rows_of[scope]; ++row) {
    if (scope == 0 && scopes > 1 && names[scope, row] == "") continue
    tail = values[scope, row] == "" ? "" : ":" ZshText(values[scope, row]) ":" ZshAction(scope, row)
    if (names[scope, row] == "") {
      print indent "  '" (is_repeated[scope, row] ? "*" : ++position) tail "' \\"
      continue
    }
    n = split(names[scope, row], parts, ",")
    star = is_repeated[scope, row] ? "*" : "(" parts[1] (n > 1 ? " " parts[2] : "") ")"
    for (i = 1; i <= n; ++i) {
      spec = parts[i]
      if (values[scope, row] != "") spec = spec (is_optional[scope, row] ? "=-" : parts[i] ~ /^--/ ? "=" : "")
      print indent "  '" star spec "[" ZshText(purposes[scope, row]) "]" (is_optional[scope, row] ? ":" : "") tail "' \\"
    }
  }
  print indent "  && return"
}

function Zsh(s) {
  print "#compdef " tool
  print "# What zsh completes of " tool ", made of its --help."
  if (scopes == 1) {
    ZshScope(0, "")
    return
  }
  print "if ((CURRENT > 2)) && [[ $words[2] != -* ]]; then"
  print "  shift words"
  print "  ((CURRENT--))"
  print "  case $words[1] in"
  for (s = 1; s < scopes; ++s) {
    print "    " scope_name[s] ")"
    ZshScope(s, "      ")
    print "      ;;"
  }
  print "  esac"
  print "  return"
  print "fi"
  print "local -a commands=("
  for (s = 1; s < scopes; ++s) print "  '" scope_name[s] ":" ZshText(command_purposes[scope_name[s]]) "'"
  print ")"
  print "_describe command commands"
  ZshScope(0, "")
}

# --- fish ---

function FishText(text) {
  gsub(/\\/, "\\\\", text)
  gsub(/'/, "\\'", text)
  return "'" text "'"
}

function FishValue(scope, row, kind) {
  if ((scope, row) in choices)
    return has_commas[scope, row] ? " -x -a '(__fish_append , " choices[scope, row] ")'" : " -x -a '" choices[scope, row] "'"
  kind = kinds_at[scope, row]
  if (kind == "none") return " -x"
  if (kind == "any") return " -r -F"
  if (kind == "folder") return " -x -a '(__fish_complete_directories)'"
  return " -x -k -a '" FishSuffixes(kind) "'"
}

function FishSuffixes(kind, parts, n, i, text) {
  n = split(kind, parts, ",")
  for (i = 1; i <= n; ++i) text = text (i > 1 ? " " : "") "." parts[i]
  return "(__fish_complete_suffix " text ")"
}

function FishScope(scope, row, parts, n, i, line, condition) {
  if (scopes > 1) condition = scope == 0 ? " -n __fish_use_subcommand" : " -n '__fish_seen_subcommand_from " scope_name[scope] "'"
  for (row = 0; row < rows_of[scope]; ++row) {
    line = "complete -c " tool condition
    if (names[scope, row] == "") {
      if (kinds_at[scope, row] != "none") print line FishValue(scope, row)
      continue
    }
    n = split(names[scope, row], parts, ",")
    for (i = 1; i <= n; ++i) line = line (parts[i] ~ /^--/ ? " -l " substr(parts[i], 3) : " -s " substr(parts[i], 2))
    if (values[scope, row] != "" && !is_optional[scope, row]) line = line FishValue(scope, row)
    print line " -d " FishText(purposes[scope, row])
  }
}

function Fish(s) {
  print "# What fish completes of " tool ", made of its --help."
  print "complete -c " tool " -f"
  for (s = 1; s < scopes; ++s)
    print "complete -c " tool " -n __fish_use_subcommand -a " scope_name[s] " -d " FishText(command_purposes[scope_name[s]])
  for (s = 0; s < scopes; ++s) FishScope(s)
}
