"""Roles and names, compared with Chromium's accessibility tree."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.browser.snapshot.conftest import World

CASES = sorted((Path(__file__).parent / "cases").glob("*.html"))
DOCUMENTS = {case.stem: case.read_text() for case in CASES}
GOLDEN = Path(__file__).parents[2] / "golden" / "snapshot" / "differences.json"
SYNONYMS = {"image": "img", "presentation": "none", "directory": "list", "": "any"}
UNEXPOSED = {"none", "generic"}


async def differences(world: World, html: str) -> list[str]:
    await world.show(html)
    selector = json.dumps("body *")
    theirs = await world.page.evaluate(
        f"[...document.querySelectorAll({selector})].map(e => [e.computedRole, e.computedName])"
    )
    ours = await world.evaluate(
        f"[...document.querySelectorAll({selector})].map(e => {{ const d = rove.describe(e);"
        " return [d.role, d.name, e.outerHTML.slice(0, 90)] })"
    )
    found: list[str] = []
    for (role, name), (our_role, our_name, html) in zip(theirs, ours, strict=True):
        their_role = SYNONYMS.get(role, role)
        same_role = their_role in ("any", our_role) or {their_role, our_role} <= UNEXPOSED
        if not same_role or " ".join(name.split()) != our_name:
            found.append(f"{html} | chromium {their_role} {name!r} | rove {our_role} {our_name!r}")
    return found


# Chromium takes seconds for these; names are also tested by tests/browser/scripts/test_names.py.
SLOW = ("corners", "names")


@pytest.mark.parametrize(
    "case",
    [pytest.param(case, id=case.stem, marks=[pytest.mark.slow] if case.stem in SLOW else []) for case in CASES],
)
async def test_roles_and_names_differ_from_chromium_only_in_listed_cases(
    world: World, case: Path, request: pytest.FixtureRequest
) -> None:
    found = await differences(world, DOCUMENTS[case.stem])
    golden = json.loads(GOLDEN.read_text()) if GOLDEN.exists() else {}
    if request.config.getoption("--update-golden"):
        GOLDEN.write_text(json.dumps(golden | {case.stem: found}, indent=1, ensure_ascii=False) + "\n")
        return
    assert found == golden[case.stem]


async def test_a_scoped_snapshot_starts_with_the_target_of_any_role(world: World) -> None:
    await world.show("<p id=p>Some <em id=e>stressed</em> words</p><ul><li id=l>one</li></ul>")
    for selector, first in (("#p", "paragraph"), ("#e", "emphasis"), ("#l", "listitem"), ("body", "generic")):
        ref = await world.evaluate(f"rove.query({{css: {json.dumps(selector)}}}).matches[0].ref")
        line = (await world.text(root=ref)).splitlines()[0]
        assert line.startswith(first) and line.endswith(f"[{ref}]")
