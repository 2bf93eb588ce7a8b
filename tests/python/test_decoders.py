"""Functions that say what is in blobs."""

import importlib.util
import unittest
import warnings

import pteedit
from common import DATA, PROJECT, inspect
from pteedit.ptetools import size_distribution_from_pte

OPAQUE = DATA / "f17" / "opaque.pte"
EXAMPLE = PROJECT / "docs" / "examples" / "decoder.py"


def example():
    spec = importlib.util.spec_from_file_location("decoder", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.decode


class Decoders(unittest.TestCase):
    def register(self, backend, function):
        pteedit.register_decoder(backend, function)
        self.addCleanup(pteedit.register_decoder, backend, None)

    def opaque_with(self, function):
        """The delegate, and what is warned of."""
        self.register("OpaqueBackend", function)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            (delegate,) = pteedit.delegates(OPAQUE)
        return delegate, [(warning.category, str(warning.message)) for warning in caught]

    def test_a_function_is_as_good_as_a_command(self):
        self.register("OpaqueBackend", example())
        command = f"OpaqueBackend=python3 {EXAMPLE}"
        self.assertEqual(pteedit.delegates(OPAQUE), inspect(OPAQUE, "--delegates", "--decoder", command)["delegates"])
        blob = size_distribution_from_pte(OPAQUE).components[1].components[0]
        self.assertEqual([(part.name, part.size) for part in blob.components], [("magic", 8), ("table", 1024)])

    def test_sees_blob_backend_and_compile_specs(self):
        calls = []
        delegate, warned = self.opaque_with(lambda *arguments: calls.append(arguments))
        ((blob, backend, specs),) = calls
        self.assertEqual(blob, b"OPAQUE\0\0" + bytes(range(256)) * 4)
        self.assertEqual((backend, specs), ("OpaqueBackend", [("mode", b"fast\0\1"), ("empty", b"")]))
        self.assertEqual((delegate["decoded"], delegate["why_opaque"], warned), (False, None, []))

    def test_what_it_leaves_out_is_what_the_library_finds(self):
        path = DATA / "f03_mlp_xnn.pte"
        found = pteedit.delegates(path)
        self.register("XnnpackBackend", lambda *_: {"operators": ["mine"]})
        self.assertEqual(pteedit.delegates(path), [{**found[0], "operators": ["mine"]}])
        pteedit.register_decoder("XnnpackBackend", None)
        self.assertEqual(pteedit.delegates(path), found)

    def test_failures_leave_the_blob_opaque_with_a_warning(self):
        def fails(*_):
            raise KeyError("no\nway")

        wrong = "the decoder function's answer is wrong: "
        for function, why in [
            (fails, "the decoder function raised KeyError('no\\nway')"),
            (lambda *_: [], wrong + "the JSON is no object"),
            (lambda *_: {"parts": 1}, wrong + "'parts' is no list"),
            (lambda *_: {"bytes": float("nan")}, wrong + "the text is no JSON from byte 11 on"),
            (lambda *_: {"facts": {"a": "\udc80"}}, None),
            (lambda *_: {"operators": object()}, None),
            (lambda: {}, None),
            (
                lambda *_: {"parts": [{"name": "a", "size": 1033}]},
                "metadata's part 'a' of 1033 bytes at 0x0 is not inside the processed blob (1032 bytes)",
            ),
        ]:
            delegate, warned = self.opaque_with(function)
            with self.subTest(delegate["why_opaque"]):
                self.assertFalse(delegate["decoded"])
                self.assertEqual(delegate["parts"], [{"name": "opaque", "size": 1032}])
                if why is not None:
                    self.assertEqual(delegate["why_opaque"], why)
                message = f"processed blob of 'OpaqueBackend_0' is taken as opaque: {delegate['why_opaque']}"
                self.assertEqual(warned, [(RuntimeWarning, message)])

    def test_sizes_warn_too(self):
        self.register("OpaqueBackend", lambda *_: 1)
        with self.assertWarns(RuntimeWarning) as caught:
            sizes = size_distribution_from_pte(OPAQUE)
        self.assertEqual(caught.filename, __file__)  # of whoever called the package, however deep it is in there
        self.assertEqual(sizes.components[1].components[0].size, 1032)

    def test_warnings_that_are_errors_are_raised(self):
        self.register("OpaqueBackend", lambda *_: 1)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with self.assertRaises(RuntimeWarning):
                pteedit.delegates(OPAQUE)

    def test_what_is_no_exception_ends_the_work(self):
        def interrupts(*_):
            raise KeyboardInterrupt

        self.register("OpaqueBackend", interrupts)
        with self.assertRaises(KeyboardInterrupt):
            pteedit.delegates(OPAQUE)


if __name__ == "__main__":
    unittest.main()
