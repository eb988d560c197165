"""Linking JavaScript modules into one script."""

from __future__ import annotations

from pathlib import Path

import pytest

import rove.browser.scripts
from rove.browser.scripts.linker import LinkError, check, link

SCRIPTS = Path(rove.browser.scripts.__file__).parent


def write(folder: Path, **modules: str) -> str:
    """Write modules, each by its name, and return the folder."""
    for name, text in modules.items():
        (folder / f"{name}.js").write_text(text, encoding="utf-8")
    return str(folder)


def linked_lines(folder: str) -> list[str]:
    return [line for line in link(folder, "entry.js").splitlines() if line]


def test_each_module_is_included_once_and_after_its_imports(tmp_path: Path) -> None:
    folder = write(
        tmp_path,
        entry='import { b } from "./b.js";\nimport { c } from "./c.js";\n\nuse(b, c);\n',
        b='import { c } from "./c.js";\n\nexport const b = c + 1;\n',
        c="export const c = 1;\n",
    )
    check(folder, "entry.js")
    assert linked_lines(folder) == ["const c = 1;", "const b = c + 1;", "use(b, c);"]


def test_imports_over_several_lines_and_from_other_folders_are_followed(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    write(tmp_path / "inner", b='import { c } from "../c.js";\n\nexport const b = c;\n')
    folder = write(
        tmp_path,
        entry='import {\n  b,\n} from "./inner/b.js";\n\nuse(b);\n',
        c="export let c = 1;\n",
    )
    check(folder, "entry.js")
    assert linked_lines(folder) == ["let c = 1;", "const b = c;", "use(b);"]


def test_types_are_left_out(tmp_path: Path) -> None:
    folder = write(
        tmp_path, entry="/** @param {string} a */\nexport const f = (a) => a;\n/**\n * @type {number}\n */\nlet b;\n"
    )
    assert linked_lines(folder) == ["const f = (a) => a;", "let b;"]


def test_comments_at_the_top_are_left_out(tmp_path: Path) -> None:
    folder = write(
        tmp_path,
        entry='// A module.\n\n// Two lines\n// of it.\nconst a = () => {\n  // inside\n  f("//");\n};\n// the end',
    )
    assert linked_lines(folder) == ["const a = () => {", "  // inside", '  f("//");', "};"]


def test_modules_that_import_each_other_are_refused(tmp_path: Path) -> None:
    folder = write(
        tmp_path,
        entry='import { b } from "./b.js";\n\nexport const a = b;\n',
        b='import { c } from "./c.js";\n\nexport const b = c;\n',
        c='import { b } from "./b.js";\n\nexport const c = b;\n',
    )
    with pytest.raises(LinkError, match=r"b\.js -> c\.js -> b\.js"):
        link(folder, "entry.js")


def test_a_missing_module_is_named_with_its_importer(tmp_path: Path) -> None:
    folder = write(tmp_path, entry='import { b } from "./b.js";\n\nb();\n')
    with pytest.raises(LinkError, match=r"b\.js.*entry\.js"):
        link(folder, "entry.js")


def test_a_name_that_two_modules_declare_is_refused(tmp_path: Path) -> None:
    folder = write(
        tmp_path,
        entry='import { b } from "./b.js";\n\nconst count = b;\n',
        b="let count = 0;\nexport const b = () => count;\n",
    )
    with pytest.raises(LinkError, match=r"count.*b\.js.*entry\.js"):
        check(folder, "entry.js")


def test_an_import_that_is_not_exported_is_refused(tmp_path: Path) -> None:
    folder = write(
        tmp_path,
        entry='import { b, hidden } from "./b.js";\n\nb(hidden);\n',
        b="const hidden = 1;\nexport const b = 2;\n",
    )
    with pytest.raises(LinkError, match=r"entry\.js imports hidden.*b\.js"):
        check(folder, "entry.js")


@pytest.mark.parametrize(
    "text",
    [
        'import { b as other } from "./b.js";\n\nother();\n',
        'import * as b from "./b.js";\n\nb.b();\n',
        'import b from "./b.js";\n\nb();\n',
        'import "./b.js";\n\nb();\n',
        'import { b } from "./b.js";\n\nb();\nimport { c } from "./b.js";\n',
        "export default 1;\n",
        "const a = 1;\nexport { a };\n",
        "const { a, b } = window;\n",
        "export const [a] = [1];\n",
    ],
)
def test_forms_that_the_linker_does_not_know_are_refused(tmp_path: Path, text: str) -> None:
    folder = write(tmp_path, entry=text, b="export const b = 1;\nexport const c = 2;\n")
    with pytest.raises(LinkError, match=r"entry\.js"):
        check(folder, "entry.js")


ENTRIES = (
    "accessibility_audit.js",
    "isolated_world.js",
    "main_world.js",
    "listener_world.js",
    "origin_storage.js",
    "page_world.js",
    "origin_state.js",
)


@pytest.mark.parametrize("entry", ENTRIES)
def test_the_modules_of_rove_can_be_linked(entry: str) -> None:
    check(str(SCRIPTS), entry)


def test_each_module_of_rove_is_part_of_a_script() -> None:
    linked = {path for entry in ENTRIES for path in _paths(entry)}
    assert {str(file.relative_to(SCRIPTS)) for file in SCRIPTS.rglob("*.js")} == linked


def _paths(entry: str) -> list[str]:
    return [path for path, _, _ in rove.browser.scripts.linker._modules(str(SCRIPTS), entry)]
