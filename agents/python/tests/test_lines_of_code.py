"""`.ci/lines`, which counts the lines of code of the repository: comments, strings, and unit tests do not mislead it."""

from __future__ import annotations

import unittest
from collections import Counter
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from textwrap import dedent

loader = SourceFileLoader("lines_of_code", str(Path(__file__).resolve().parents[3] / ".ci" / "lines"))
spec = spec_from_loader(loader.name, loader)
assert spec is not None
counter = module_from_spec(spec)
loader.exec_module(counter)


def rust(files: str | dict[str, str]) -> tuple[int, int]:
    """Returns the lines of the product and of its unit tests."""
    files = {"src/a.rs": files} if isinstance(files, str) else files
    sums = Counter[str]()
    for _, kind, lines in counter.rust_lines({name: dedent(text) for name, text in files.items()}, files):
        sums[kind] += lines
    return sums["product"], sums["unit tests"]


class TestRust(unittest.TestCase):
    def test_comments_and_blank_lines_do_not_count(self) -> None:
        self.assertEqual(
            rust(
                """
                //! The module.

                /* A block /* within a block */ that
                goes on: fn no() {}
                */ fn yes() {} // with a comment
                /// The doc comment.
                /** Another. */
                let a = 1 /* one */; /* two
                */
                """
            ),
            (2, 0),
        )

    def test_strings_hold_no_comments(self) -> None:
        for code in (
            'let a = "https://x";',
            'let a = "/*"; let b = 1;',
            'let a = "\\"//"; /*\n*/',
            'let a = r"\\"; // "',
            'let a = r#"" // "# + 1;',
            'let a = br##""# /* "##;',
            "let a = '\"'; // '\"'",
            "let a = b'\\''; // \"",
            "let a = '\\u{22}'; let b = ('/', '*'); // '",
            "fn a<'a, 'b>(x: &'a str) -> &'b str { x } // 'a",
            "'a: loop { break 'a; } /* ' */",
            'let r#type = 1; // r#"',
        ):
            self.assertEqual(rust(f"{code}\n// the end\nlet last = 1;\n"), (2, 0), code)

    def test_lines_of_strings_count_and_blank_ones_within_do_not(self) -> None:
        self.assertEqual(rust('let a = "one\n\n// two\nthree";\nlet b = r#"\n/* "\n"#;\n'), (6, 0))

    def test_unit_tests_are_counted_apart(self) -> None:
        self.assertEqual(
            rust(
                """
                fn product() {}

                #[cfg(test)]
                mod tests {
                    use super::*;
                    // A brace in a comment } and in a string:
                    const CLOSING: &str = "}";
                    const CHARACTER: char = '}';

                    #[test]
                    fn case() {}
                }
                const LAST: u8 = 1;
                """
            ),
            (2, 8),
        )

    def test_single_items_of_unit_tests_end_where_they_end(self) -> None:
        for item in (
            "#[cfg(test)] use a::{b, c};",
            "#[cfg(test)] pub(crate) const A: B = B { c: 1 };",
            "#[cfg(test)] const fn a<A, B>(a: A, b: B) -> u8 where A: C, B: D { 1 }",
            "#[derive(Debug)]\n#[cfg(any(test, fuzzing))]\n#[must_use]\nstruct A(u8, u8);",
            '#[cfg(all(test, target_os = "linux"))] impl A for B { fn a() {} }',
            '#[tokio::test(flavor = "current_thread")] async fn a() {}',
            "#[cfg(test)] macro_rules! a { ($a:ty, $b:ty) => { 1 }; }",
            "#[cfg(fuzzing)] let a = match b { c => 1, d => { 2 } };",
            "#[cfg(test)] a.b(c, d);",
        ):
            self.assertEqual(rust(f"fn a() {{\n{item}\nlet last = 1;\n}}\n"), (3, item.count("\n") + 1), item)

    def test_parts_of_items_may_be_unit_tests(self) -> None:
        for item, part in (
            ("struct A", "pub a: HashMap<B, C>,"),
            ("enum A", "B { c: u8, d: u8 },"),
            ("match a", "B { c } => d(c, 1),"),
            ("match a", "B => { 1 }"),
            ("let a = A", "b: c(1, 2)"),
        ):
            self.assertEqual(rust(f"{item} {{\nfirst,\n#[cfg(test)]\n{part}\n}}\nlast\n"), (4, 2), part)
            if not part.endswith("2)"):
                self.assertEqual(rust(f"{item} {{\n#[cfg(test)]\n{part}\nsecond\n}}\n"), (3, 2), part)

    def test_code_that_a_build_may_have_is_the_product(self) -> None:
        for condition in ("not(test)", "any(test, unix)", 'feature = "test"', "not(any(test, fuzzing))", "all()"):
            self.assertEqual(rust(f"#[cfg({condition})]\nfn a() {{}}\n"), (2, 0), condition)
        self.assertEqual(rust('// #[cfg(test)]\nlet a = "#[cfg(test)]";\n#[cfg_attr(test, a)]\nfn a() {}\n'), (3, 0))

    def test_files_of_unit_tests(self) -> None:
        files = {
            "src/lib.rs": '#[cfg(test)]\nmod a;\nmod b;\n#[cfg(fuzzing)]\n#[path = "../src/c/d.rs"]\npub mod e;\n',
            "src/a/mod.rs": "one\n",
            "src/a/inner.rs": "two\nthree\n",
            "src/b.rs": "#[cfg(test)] mod tests;\nfour\n",
            "src/b/tests.rs": "five\n",
            "src/b/product.rs": "six\n",
            "src/c/d.rs": "seven\n",
            "src/whole.rs": "#![cfg(test)]\nfn eight() {}\nfn nine() {}\n",
        }
        self.assertEqual(rust(files), (3, 5 + 3 + 1 + 1 + 1 + 3))

    def test_a_file_of_fuzz_or_tests_is_no_product(self) -> None:
        files = {
            "src/lib.rs": '#[cfg(fuzzing)]\n#[path = "../fuzz/a.rs"]\nmod a;\n',
            "fuzz/a.rs": "#[cfg(test)]\none\n",
        }
        counted = list(counter.rust_lines(files, ["src/lib.rs"]))
        self.assertEqual(counted[2:], [("fuzz/a.rs", "product", 2), ("fuzz/a.rs", "unit tests", 0)])


class TestOthers(unittest.TestCase):
    def test_python_has_comments_and_docstrings(self) -> None:
        text = '''
            """The module,
            documented."""

            # A comment.
            A = "# none"  # one
            """The documentation of A."""


            def a() -> str:
                """Returns
                a text."""
                return """one

                # two
                """


            class B:
                "Documented." ; b = 1
            '''
        self.assertEqual(counter.python_lines(dedent(text)), 7)

    def test_javascript_has_templates_and_patterns(self) -> None:
        text = r"""
            // A comment.
            /* Another
            one. */
            const a = "//" + '/*'; // text
            const b = `// ${c ? `'${d({})}// ` : "}"} /*
            // text`;
            const e = /\/*["'`/]/.test(f) / 2; /* ' */
            const g = h / i; /* / "
            */
            last();
            """
        code = counter.script_code(dedent(text))
        self.assertEqual(counter.count(code.split("\n")), 6)

    def test_sql_has_comments(self) -> None:
        code = counter.sql_code("-- one\nselect '--', 'it''s /*', \"--\"; -- two\n/* three\n*/ select 1;\n")
        self.assertEqual(counter.count(code.split("\n")), 2)


class TestPlaces(unittest.TestCase):
    def test_every_file_has_its_place(self) -> None:
        crates = [
            counter.Package("agents/rust/", "random-agent"),
            counter.Package("crates/service/", "ahu-service"),
            counter.Package("src/engine/", "ahu-engine"),
            counter.Package("", "ahu"),
        ]
        for file, language, place in (
            ("src/cli/play/mod.rs", "Rust", ("product", "ahu", "src/cli")),
            ("src/main.rs", "Rust", ("product", "ahu", "src/main.rs")),
            ("build.rs", "Rust", ("product", "ahu", "build.rs")),
            ("src/engine/games/giants/mod.rs", "Rust", ("product", "ahu-engine", "src/engine/games")),
            ("src/engine/build.rs", "Rust", ("product", "ahu-engine", "src/engine/build.rs")),
            ("crates/service/build.rs", "Rust", ("product", "ahu-service", "crates/service/build.rs")),
            ("crates/service/src/tests/a.rs", "Rust", ("product", "ahu-service", "crates/service/src/tests")),
            ("crates/service/tests/store/main.rs", "Rust", ("tests", "", "crates/service/tests/store")),
            ("tests/rules/giants/a.rs", "Rust", ("tests", "", "tests/rules")),
            ("fuzz/targets/a.rs", "Rust", ("fuzz", "", "fuzz/targets")),
            ("benches/a.rs", "Rust", ("benches", "", "benches")),
            ("agents/rust/a.rs", "Rust", ("examples", "", "agents/rust")),
            ("agents/python/ahu/_a.py", "Python", ("product", "", "agents/python/ahu")),
            ("agents/python/ahu/training/a/b.py", "Python", ("product", "", "agents/python/ahu/training")),
            ("agents/python/tests/test_a.py", "Python", ("tests", "", "agents/python/tests")),
            ("crates/service/src/web/site/a.js", "JavaScript", ("product", "", "crates/service/src/web/site")),
        ):
            found = counter.place_of(file, language, crates, {"", "crates/service/"})
            self.assertEqual(found, (language, *place), file)

    def test_generated_files_have_no_language(self) -> None:
        for file in ("a/b_pb2.py", "a/b_pb2.pyi", "a/b_pb2_grpc.py", "agents/go/ahuv1/a.ts", "fuzz/corpus/a/b.py"):
            self.assertIsNone(counter.language_of(file), file)
        self.assertEqual([counter.language_of(each) for each in (".ci/lines", ".ci/run")], ["Python", None])

    def test_the_table_ends_with_a_line_for_each_language(self) -> None:
        lines = Counter(
            {
                counter.Place("Rust", "product", "ahu", "src/cli"): 1200,
                counter.Place("Rust", "unit tests", "ahu", "src/cli"): 30,
                counter.Place("Rust", "tests", "", "tests/cli"): 4,
                counter.Place("Python", "tests", "", "tests"): 5,
            }
        )
        totals = [" ".join(line.split()) for line in list(counter.table(lines))[-4:]]
        self.assertEqual(
            totals,
            [
                "Rust 1,200 product 30 unit tests 4 tests",
                "Python 0 product 5 tests",
                "JavaScript 0 product",
                "SQL 0 product",
            ],
        )


if __name__ == "__main__":
    unittest.main()
