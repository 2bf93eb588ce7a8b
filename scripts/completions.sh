#!/bin/sh
# Writes what shells complete of one tool's command line, from its --help: completions.sh FOLDER TOOL PROGRAM...
# FOLDER/TOOL.bash, FOLDER/_TOOL (zsh), FOLDER/TOOL.fish. PROGRAM... runs the tool, behind an emulator where one is needed.
set -eu

folder=$1
tool=$2
shift 2
script=$(dirname "$0")/completions.awk

# The --help of the tool, and of each of its commands behind a line with the command's name.
helps() {
  "$@" --help
  for command in $("$@" --help | awk '/^Commands:/ { on = 1; next } !/^  / { on = 0 } on { print $1 }'); do
    printf '@ %s\n' "$command"
    "$@" "$command" --help
  done
}

mkdir -p "$folder"
helps "$@" >"$folder/$tool.help"
for shell in bash zsh fish; do
  case $shell in
    bash) file=$tool.bash ;;
    zsh) file=_$tool ;;
    fish) file=$tool.fish ;;
  esac
  awk -f "$script" -v shell=$shell -v tool="$tool" "$folder/$tool.help" >"$folder/$file.new"
  mv "$folder/$file.new" "$folder/$file"
done
rm "$folder/$tool.help"
