"""Checks what shells complete of the tools' command lines: each option of --help, fixed words, files by their endings.

bash is asked as readline asks it, fish by its `complete -C`; zsh reads its files. Where a shell is not there, its part is left out.
"""

import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from checks import ROOT, given, output_of

TOOLS = ("pteinspect", "pteprof", "ptesplit", "ptemerge", "ptestrip", "ptecopy", "ptepack")
FILES = ("model.pte", "two words.pte", "weights.ptd", "bundle.bpte", "run.etdp", "run.etrecord", "notes.txt")
ASK_BASH = """source "$1"; shift; tool=$1; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
_$tool "$tool" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"; printf '%s\\n' "${COMPREPLY[@]}" """

# Words as bash splits them, also at '='; what the last of them may become.
CASES = [
    (["pteinspect", "--col"], {"--color"}),
    (["pteinspect", "--color", ""], {"auto", "always", "never"}),
    (["pteinspect", "--color", "=", "al"], {"always"}),
    (["pteinspect", "--color", "="], {"auto", "always", "never"}),
    (["pteinspect", "--hash", "=", ""], {"xxh3", "sha256"}),
    (["pteinspect", "--hash", "mod"], {"model.pte"}),
    (["pteinspect", "--by", "de"], {"delegate"}),
    (["pteinspect", "--by", "method,d"], {"method,delegate", "method,dtype"}),
    (["pteinspect", "--data", ""], {"folder", "weights.ptd"}),
    (["pteinspect", "--min-nothing", "n"], set()),
    (["pteinspect", "--max-size", ""], set()),
    (["pteinspect", "--diff", "model.pte,w"], {"model.pte,weights.ptd"}),
    (["pteinspect", "--check", "n"], {"notes.txt"}),
    (["pteinspect", "t"], {"two words.pte"}),
    (["pteprof", ""], {"folder", "run.etdp", "run.etrecord", "model.pte", "two words.pte", "weights.ptd", "bundle.bpte"}),
    (["pteprof", "--source-time-scale", ""], {"ns", "us", "ms", "s", "cycles"}),
    (["pteprof", "--etrecord", "r"], {"run.etrecord"}),
    (["ptesplit", "-d", "w"], {"weights.ptd"}),
    (["ptesplit", "--kind", "constant,m"], {"constant,mutable"}),
    (["ptemerge", "-o", ""], {"folder"}),
    (["ptemerge", "--variant-data", "pt"], {"pte", "ptd"}),
    (["ptemerge", "model.pte,"], {"model.pte,folder", "model.pte,model.pte", "model.pte,two words.pte", "model.pte,weights.ptd",
                                  "model.pte,bundle.bpte"}),
    (["ptestrip", "--for", "m"], {"model.pte"}),
    (["ptecopy", "--refit", "b"], {"bundle.bpte"}),
    (["ptepack", "l"], {"list"}),
    (["ptepack", "create", "--req"], {"--require"}),
    (["ptepack", "list", "--req"], set()),
    (["ptepack", "list", ""], {"folder"}),
    (["ptepack", "create", "--progress", "n"], {"never"}),
]
FISH_CASES = [
    ("ptesplit --ki", {"--kind"}),
    ("ptesplit --kind constant,m", {"constant,mutable"}),
    ("pteinspect --color ", {"auto", "always", "never"}),
    ("ptepack li", {"list"}),
    ("ptepack create --req", {"--require"}),
    ("ptestrip --for m", {"model.pte"}),
    ("pteprof --etrecord run.etr", {"run.etrecord"}),
]


class Completions(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        for name in FILES:
            (pathlib.Path(self.folder.name) / name).touch()
        (pathlib.Path(self.folder.name) / "folder").mkdir()

    def need(self, shell):
        if not shutil.which(shell):
            self.skipTest(f"there is no {shell}")

    def run_in_folder(self, *command):
        done = subprocess.run([str(word) for word in command], cwd=self.folder.name, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.stderr, "")
        return done.stdout

    def ask_bash(self, *words):
        script = given.tools / f"completions/{words[0]}.bash"
        return {line for line in self.run_in_folder("bash", "-c", ASK_BASH, "bash", script, *words).splitlines() if line}

    def test_bash_completes_words_and_files(self):
        self.need("bash")
        for words, expected in CASES:
            with self.subTest(words=words):
                self.assertEqual(self.ask_bash(*words), expected)

    def test_bash_completes_each_option_of_help(self):
        self.need("bash")
        for tool in TOOLS:
            heads = re.findall(r"^  (-\S+)", output_of(tool, "--help", text=True), re.MULTILINE)
            self.assertEqual(self.ask_bash(tool, "-"), {name for head in heads for name in head.split(",")}, tool)

    def test_fish_completes(self):
        self.need("fish")
        for line, expected in FISH_CASES:
            with self.subTest(line=line):
                script = given.tools / f"completions/{line.split()[0]}.fish"
                found = self.run_in_folder("fish", "--no-config", "-c", "source $argv[1]; complete -C $argv[2]", script, line)
                self.assertEqual({row.split("\t")[0] for row in found.splitlines()}, expected)

    def test_shells_can_read_their_files(self):
        for shell, name in (("bash", "{}.bash"), ("zsh", "_{}"), ("fish", "{}.fish")):
            for tool in TOOLS if shutil.which(shell) else ():
                self.run_in_folder(shell, "-n", given.tools / "completions" / name.format(tool))

    def test_values_without_a_known_completion_are_an_error(self):
        script = ROOT / "scripts/completions.awk"
        text = "Purpose.\n\nOptions:\n  --new VALUE                 Do it\n"
        done = subprocess.run(["awk", "-f", script, "-v", "shell=bash", "-v", "tool=ptetool"], input=text, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr),
                         (1, "completions.awk: ptetool: no completion is known for the value 'VALUE'\n"))
