"""Accessibility audits: what axe-core finds, by element, in the page and all its frames."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.site import Site

from rove import Session
from rove.actions.accessibility import Audited
from rove.errors import InvalidArguments
from rove.toolsets.outcome_text import as_text

pytestmark = [pytest.mark.one_session, pytest.mark.usefixtures("installed_axe")]

# Each frame has axe-core too, for the audit that the page itself makes.
AXE = "<script src=/axe.js></script><script>axe.configure({ allowedOrigins: ['<unsafe_all_origins>'] })</script>"
PAGE = f"""<html><title>Tea</title>{AXE}<body>
<img src=/cup.png><p id=pale style="color: #bbb">too pale</p><button></button><input type=password value=hunter2>
<ul><p>no item</p></ul><h1>One</h1><h3>Three</h3><div id=host></div><div id=host2></div>
<script>
  for (const host of [document.getElementById("host"), document.getElementById("host2")])
    host.attachShadow({{ mode: "open" }}).innerHTML = '<img src=x><p style="color: #ccc">pale</p><slot></slot>';
</script>
<iframe src=/inner title=inner></iframe><iframe src=CROSS title=inner></iframe>"""
INNER = f"<html lang=en><title>Inner</title>{AXE}<button></button><p style='color: #ccc'>pale</p><h1>Two</h1>"
CROSS = f"<html><title>Cross</title>{AXE}<a href=/></a><img src=q><iframe src=/inner title=deep></iframe>"


def serve(site: Site, axe_file: Path) -> str:
    site.file("/axe.js", axe_file.read_bytes(), "text/javascript")
    site.page("/inner", INNER)
    other = site.page("/cross", CROSS).replace("127.0.0.1", "localhost")
    return site.page("/", PAGE.replace("CROSS", other))


def found_by(audited: Audited) -> set[tuple[str, str]]:
    return {(rule.id, str(element.selector)) for rule in audited.violations for element in rule.elements}


def selector(target: list[Any]) -> str:
    return " | ".join(" >>> ".join(part) if isinstance(part, list) else part for part in target)


async def found_by_the_page_itself(session: Session, options: str = "{}") -> set[tuple[str, str]]:
    """Return what axe-core finds when the page runs it, in all frames, as its own scripts would."""
    found = (await session.evaluate(f"axe.run(document, {options}).then((found) => found.violations)")).result.value
    return {(rule["id"], selector(node["target"])) for rule in found for node in rule["nodes"]}


@pytest.mark.contract("C7")
@pytest.mark.feature("Accessibility audit", works=("chromium", "firefox"))
async def test_an_audit_finds_what_axe_finds_in_the_page_its_shadow_roots_and_frames(
    session: Session, site: Site, axe_file: Path
) -> None:
    await session.navigate(serve(site, axe_file))
    audited = (await session.audit(limit=100)).result
    expected = await found_by_the_page_itself(session)
    assert found_by(audited) == expected
    assert len({rule for rule, _ in expected}) >= 8
    assert audited.unread_frames == 0
    options = "{ runOnly: ['wcag2a', 'wcag21a', 'wcag22a', 'wcag2aa', 'wcag21aa', 'wcag22aa'] }"
    assert found_by((await session.audit(level="aa", limit=100)).result) == await found_by_the_page_itself(
        session, options
    )


async def test_rules_that_compare_places_find_what_axe_finds(session: Session, site: Site, axe_file: Path) -> None:
    site.file("/axe.js", axe_file.read_bytes(), "text/javascript")
    body = "<main><h1>Shop</h1><ul><li><h3>Green tea</h3> 4.50<li><h3>Black tea</h3> 3.00</ul><h2>Basket</h2></main>"
    body += "<nav><a href=/>Home</a></nav>"  # with a link, axe relates all headings to it
    await session.navigate(site.page("/headings", f"<html lang=en><title>Shop</title>{AXE}{body}"))
    expected = await found_by_the_page_itself(session)
    assert {rule for rule, _ in expected} == {"heading-order"}
    assert found_by((await session.audit()).result) == expected


async def test_elements_have_refs_and_the_words_of_their_own_origin(
    session: Session, site: Site, axe_file: Path
) -> None:
    address = serve(site, axe_file)
    await session.navigate(address)
    audited = (await session.audit(rules=["image-alt", "link-name"])).result
    by_rule = {str(rule.id): rule for rule in audited.violations}
    assert (by_rule["image-alt"].total, by_rule["image-alt"].impact) == (4, "critical")
    assert by_rule["image-alt"].criteria == ("WCAG 2.0 A", "1.1.1")
    assert by_rule["link-name"].link.endswith("/link-name")
    (link,) = by_rule["link-name"].elements
    assert link.line.origin == address.replace("127.0.0.1", "localhost").rstrip("/")
    assert (await session.evaluate("element => element.tagName", target=link.ref)).result.value == "A"
    in_shadow = [element for element in by_rule["image-alt"].elements if ">>>" in element.selector]
    assert (await session.evaluate("e => e.getRootNode().host.id", target=in_shadow[0].ref)).result.value == "host"
    within = (await session.audit(target="#host2", rules=["image-alt"])).result
    assert [element.selector for element in within.violations[0].elements] == [in_shadow[1].selector]


async def test_the_page_cannot_see_or_change_the_audit(session: Session, site: Site) -> None:
    hostile = """<script>
      window.axe = { run: () => [] }; Array.prototype.map = () => []; JSON.stringify = () => "";
      addEventListener("message", () => { window.heard = true });
      Object.defineProperty(window, "axe", { writable: false });
      document.querySelectorAll = () => []; Element.prototype.getAttribute = () => "fine";
    </script><embed id=define><p id=module>x</p><img src=/x.png>"""
    await session.navigate(site.page("/", hostile))
    before = await session.evaluate("[...Object.getOwnPropertyNames(window)].length")
    assert "image-alt" in {rule.id for rule in (await session.audit()).result.violations}
    after = await session.evaluate("[...Object.getOwnPropertyNames(window)].length")
    assert before.result.value == after.result.value
    assert (await session.evaluate("window.heard === undefined")).result.value is True


async def test_an_answer_keeps_to_its_budget_and_counts_the_rest(session: Session, site: Site, tmp_path: Path) -> None:
    await session.navigate(site.page("/", "<html><title>x</title>" + "<img src=/x.png><button></button>" * 50))
    outcome = await session.audit(limit=3, budget=200, path="all.json")
    assert outcome.result.violations[0].total == 50
    text = as_text(outcome)
    assert "47 more elements" in text
    assert "more rules: raise `budget`" in text
    assert len(text) < 3000
    saved = json.loads(Path(outcome.result.path).read_text())
    assert len(saved["violations"][0]["elements"]) == 50


async def test_what_fields_hold_is_not_told(session: Session, site: Site, axe_file: Path) -> None:
    await session.navigate(serve(site, axe_file))
    outcome = await session.audit(rules=["label"], path="label.json")
    assert outcome.result.violations[0].total == 1
    assert "hunter2" not in repr(outcome) + Path(outcome.result.path).read_text()


async def test_a_rule_that_does_not_exist_is_refused_with_the_nearest(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<p>x"))
    with pytest.raises(InvalidArguments) as refused:
        await session.audit(rules=["image-al"])
    assert "image-alt" in refused.value.message
