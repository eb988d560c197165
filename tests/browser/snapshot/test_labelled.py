"""Snapshots of a thousand labelled elements, compared with the roles, names and states of the standards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.browser.snapshot.labels import FOLDER, SYNONYMS, Label, Said, line_read, read, squashed
from tests.conftest import Golden
from tests.site import Site

from rove import Session

if TYPE_CHECKING:
    from tests.browser.snapshot.conftest import World

FLOOR = 0.99
# The labels are checked against Chromium too, which is tested against the standards.
CHROMIUM_FLOOR = 0.94
DOCUMENTS = {path.stem: read(path) for path in sorted(FOLDER.glob("*.html"))}
COUNT = sum(len(labels) for _, labels in DOCUMENTS.values())


COMPUTED = """(() => {
  const found = [];
  const search = (root) => {
    for (const each of root.querySelectorAll("*")) {
      const number = each.getAttribute("data-n");
      if (number !== null) found[number] = { role: each.computedRole, name: each.computedName };
      if (each.shadowRoot) search(each.shadowRoot);
    }
  };
  search(document);
  return found;
})()"""


@pytest.mark.slow  # a thousand pages
async def test_the_snapshot_agrees_with_the_standards(session: Session, site: Site, golden: Golden) -> None:
    differing: dict[str, list[str]] = {}
    for name, (html, labels) in DOCUMENTS.items():
        await session.navigate(site.page(f"/{name}", html))
        for label in labels:
            said = line_read(await first_line(session, label))
            if not label.agrees(said):
                differing.setdefault(name, []).append(f"{label}; rove says {said}")
    agreed = COUNT - sum(map(len, differing.values()))
    golden("snapshot/labelled.json", {"labels": COUNT, "agreed": agreed, "differing": differing})
    assert agreed / COUNT >= FLOOR


async def first_line(session: Session, label: Label) -> str:
    outcome = await session.snapshot(f'[data-n="{label.number}"]')
    return outcome.result.text.splitlines()[0]


@pytest.mark.slow
async def test_the_labels_agree_with_chromiums_accessibility_tree(world: World) -> None:
    differing: list[str] = []
    for html, labels in DOCUMENTS.values():
        await world.page.set_content(html)
        answers: list[dict[str, str]] = await world.page.evaluate(COMPUTED)
        for label, computed in zip(labels, answers, strict=True):
            said = Said(SYNONYMS.get(computed["role"], computed["role"]), squashed(computed["name"]), {})
            # An empty role is one of Chromium's own, without a name in ARIA.
            if (said.role and not label.has_role(said.role)) or said.name not in label.names:
                differing.append(f"{label}; Chromium says {said}")
    assert 1 - len(differing) / COUNT >= CHROMIUM_FLOOR, "\n".join(differing)
