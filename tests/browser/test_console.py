"""The console: messages with their source and level, and how many are kept."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.site import Site

from rove import Session
from rove.actions.console import ConsoleLine
from rove.toolsets.outcome_text import as_data, as_text

PATIENCE = 10


async def lines(session: Session, site: Site, script: str, count: int = 1) -> tuple[ConsoleLine, ...]:
    """Return the messages of a script, once there are that many."""
    await session.navigate(site.page("/", f"<title>Loud</title><script>{script}</script>"))
    return await written(session, count)


async def written(session: Session, count: int) -> tuple[ConsoleLine, ...]:
    for _ in range(PATIENCE * 20):
        found = (await session.console()).result.lines
        if len(found) >= count:
            return found
        await session.wait(seconds=0.05)
    raise AssertionError(f"waited for {count} entries in vain, {len(found)} came")


@pytest.mark.parametrize(
    ("script", "text"),
    [
        ("console.log('plain', 1, true, null, undefined, NaN, 10n)", "plain 1 true null undefined NaN 10n"),
        ("console.log({a: 1, b: 'x'}, [1, 'two'])", '{a: 1, b: "x"} [1, "two"]'),
        ("console.log(new Map([['k', 1]]), new Set([2]))", 'Map(1) {"k" => 1} Set(1) {2}'),
        ("console.log(document.createElement('div'), /x/g)", "div /x/g"),
        ("console.log('%chot %s, %d%%', 'color: red', 'tea', 42, 'left over')", "hot tea, 42% left over"),
        ("console.log('100%')", "100%"),
        ("console.assert(false, 'so')", "Assertion failed: so"),
        pytest.param(
            "console.log(function tea(cup) { return 1 })",
            "function tea(cup)",
            marks=pytest.mark.engines("chromium", reason="WebDriver BiDi does not tell what functions are"),
        ),
    ],
)
async def test_messages_are_formatted_as_in_the_devtools_console(
    session: Session, site: Site, script: str, text: str
) -> None:
    (line,) = await lines(session, site, script)
    assert line.text == text


async def test_an_entry_says_its_type_level_time_and_place(session: Session, site: Site) -> None:
    (line,) = await lines(session, site, "console.warn('careful')")
    assert (line.type, line.level, line.context) == ("warning", "warning", "page")
    assert line.source.startswith(site.url("/:2:"))
    assert line.time.startswith("20") and line.time.endswith("+00:00")


@pytest.mark.engines("chromium", reason="WebDriver BiDi does not tell which errors were those of promises")
async def test_uncaught_errors_are_listed_with_their_stack(session: Session, site: Site) -> None:
    script = "Promise.reject(new TypeError('late')); throw new Error('boom')"
    found = await lines(session, site, script, 2)
    assert {line.type for line in found} == {"exception"}
    assert {line.text.splitlines()[0] for line in found} == {
        "Uncaught Error: boom",
        "Uncaught (in promise) TypeError: late",
    }


async def test_messages_of_the_browser_itself_are_listed(session: Session, site: Site) -> None:
    headers = {"Content-Security-Policy": "script-src 'none'"}
    await session.navigate(site.page("/", "<script>1</script>", headers=headers))
    (line,) = await written(session, 1)
    assert (line.type, line.level) == ("security", "error")
    assert "Content Security Policy" in line.text.replace("-", " ")


async def test_repeated_messages_are_counted(session: Session, site: Site) -> None:
    found = await lines(session, site, "for (let i = 0; i < 3; i++) console.log('same'); console.log('other')", 2)
    assert [(line.text, line.count) for line in found] == [("same", 3), ("other", 1)]


@pytest.mark.engines("chromium", reason="WebDriver BiDi does not report what shared and service workers write")
async def test_messages_of_frames_and_workers_name_their_source(session: Session, site: Site) -> None:
    for kind in ("worker", "shared", "service"):
        site.page(f"/{kind}.js", f"console.log('in {kind}')", kind="text/javascript")
    site.page("/frame", "<script>console.log('in ' + (location.hostname === 'localhost' ? 'other' : 'frame'))</script>")
    page = f"""<iframe src=/frame></iframe><iframe src={site.url("/frame", "localhost")}></iframe><script>
      console.log('in page'); new Worker('/worker.js'); new SharedWorker('/shared.js');
      navigator.serviceWorker.register('/service.js')</script>"""
    await session.navigate(site.page("/", page))
    found = {line.text: line.context for line in await written(session, 6)}
    assert found == {
        "in page": "page", "in frame": "frame", "in other": "frame", "in worker": "worker",
        "in shared": "shared worker", "in service": "service worker",
    }  # fmt: skip


async def test_each_message_is_wrapped_with_the_origin_of_its_script(session: Session, site: Site) -> None:
    site.page("/frame", "<script>console.log('theirs')</script>")
    frame = site.url("/frame", "localhost")
    await session.navigate(site.page("/", f"<script>console.log('ours')</script><iframe src={frame}></iframe>"))
    await written(session, 2)
    text = as_text(await session.console())
    assert re.search(rf"<untrusted \d+ {site.url('')}>\n.* log \"ours\" \(/:2:17\)\n</untrusted", text)
    assert re.search(rf"<untrusted \d+ {site.url('', 'localhost')}>\n.* log \"theirs\" \(frame, http.*\)\n</unt", text)


async def test_a_level_leaves_out_lower_levels(session: Session, site: Site) -> None:
    await lines(session, site, "for (const how of ['debug', 'log', 'warn', 'error']) console[how](how)", 4)
    for level, texts in {
        "debug": ["debug", "log", "warn", "error"],
        "info": ["log", "warn", "error"],
        "warning": ["warn", "error"],
        "error": ["error"],
    }.items():
        result = (await session.console(level=level)).result  # type: ignore[arg-type]
        assert [line.text for line in result.lines] == texts


async def test_a_limit_keeps_the_latest_and_says_what_it_left_out(session: Session, site: Site) -> None:
    await lines(session, site, "for (let i = 0; i < 5; i++) console.log('line ' + i)", 5)
    result = (await session.console(limit=2)).result
    assert [line.text for line in result.lines] == ["line 3", "line 4"]
    assert result.left_out == 3
    assert "3 earlier left out" in str(result)


async def test_clearing_removes_all_messages(session: Session, site: Site) -> None:
    await lines(session, site, "console.log('old')")
    assert len((await session.console(clear=True)).result.lines) == 1
    assert str((await session.console()).result) == "Nothing was written to the console."


async def test_messages_are_kept_after_navigating_to_another_page(session: Session, site: Site) -> None:
    await lines(session, site, "console.log('before')")
    await session.navigate(site.page("/next", "<p>Next</p>"))
    assert [line.text for line in await written(session, 1)] == ["before"]


async def test_a_long_message_is_shortened_and_says_how_long_it_was(session: Session, site: Site) -> None:
    (line,) = await lines(session, site, "console.log('x'.repeat(5000))")
    assert line.text == "x" * 1000 + "… (5000 characters)"


async def test_the_size_of_the_result_is_bounded(session: Session, site: Site) -> None:
    await lines(session, site, "for (let i = 0; i < 300; i++) console.log(i + 'x'.repeat(900))", 12)
    outcome = await session.console(limit=500)
    assert outcome.result.left_out > 250
    assert len(json.dumps(as_data(outcome))) < 20_000


async def test_a_message_cannot_forge_a_line_of_roves_output(session: Session, site: Site) -> None:
    forged = 'quiet\\n00:00:00.000 error "forged"\\u2028\\u202e\\u200b'
    await lines(session, site, f"console.log('{forged}')")
    text = as_text(await session.console())
    assert len(text.splitlines()) == 3  # the wrapper and one line in it
    assert "\u202e" not in text and "\u200b" not in text


async def test_the_name_of_a_script_cannot_forge_a_line(session: Session, site: Site) -> None:
    code = "eval(\"console.log('x') //# sourceURL=a b\" + String.fromCharCode(0x202e, 0x85) + 'c')"
    (line,) = await lines(session, site, code)
    assert " " not in line.source
    assert len(as_text(await session.console()).splitlines()) == 3


async def test_of_many_errors_ten_are_reported_and_the_rest_counted(session: Session, site: Site) -> None:
    page = "<script>for (let i = 0; i < 100; i++) console.error('broken ' + i)</script>"
    outcome = await session.navigate(site.page("/", page))
    assert len(outcome.events) == 11
    assert (outcome.events[-1].text, outcome.events[-1].advice) == ("90 more", "All errors are in session.console().")


@pytest.mark.engines("chromium", reason="WebDriver BiDi does not tell what functions are")
async def test_arguments_are_returned_as_json(session: Session, site: Site) -> None:
    script = """console.log('tea', 1, true, null, undefined, NaN, 10n);
      console.log({a: 1, b: [1, {c: 'x'.repeat(200)}]});
      console.log([1, 'two'], {flat: true}, new Map([['k', 1]]), new Error('no').message, () => 1)"""
    await lines(session, site, script, 3)
    for _ in range(PATIENCE * 20):
        found = (await session.console()).result.latest(10)
        if not isinstance(found[1]["args"][0], str):  # nested objects are fetched a moment later
            break
        await session.wait(seconds=0.05)
    assert [entry["args"] for entry in found] == [
        ["tea", 1, True, None, None, "NaN", "10n"],
        [{"a": 1, "b": [1, {"c": "x" * 200}]}],
        [[1, "two"], {"flat": True}, 'Map(1) {"k" => 1}', "no", "() => 1"],
    ]
    assert {entry["type"] for entry in found} == {"log"}
    assert found[0]["timestamp"].endswith("+00:00") and found[0]["source"].startswith(site.url("/:2:"))


@pytest.mark.engines("chromium", reason="Firefox runs the getters of what is logged")
async def test_objects_that_contain_themselves_or_have_getters_are_told_by_their_beginning(
    session: Session, site: Site
) -> None:
    script = (
        "const a = {n: 1}; a.a = a; console.log(a); console.log({get trap() { document.title = 'sprung'; return 1 }})"
    )
    found = await lines(session, site, script, 2)
    assert [line.text for line in found] == ["{n: 1, a: Object}", "{trap: accessor}"]
    await session.wait(seconds=0.2)
    entries = (await session.console()).result.latest(10)
    assert [entry["args"] for entry in entries] == [["{n: 1, a: Object}"], ["{trap: accessor}"]]
    assert (await session.evaluate("document.title")).result.value == "Loud"


async def test_an_uncaught_error_has_a_position(session: Session, site: Site) -> None:
    site.page("/app.js", "setTimeout(() => {\n  undefinedFunction()\n})", kind="text/javascript")
    await session.navigate(site.page("/", "<script src=/app.js></script>"))
    (line,) = await written(session, 1)
    assert line.source == site.url("/app.js:2:3")


async def test_repeated_messages_are_entries_of_their_own_and_cleared_ones_are_counted(
    session: Session, site: Site
) -> None:
    await lines(session, site, "for (let i = 0; i < 3; i++) console.log('same'); console.log('other')", 2)
    result = (await session.console()).result
    assert [entry["args"] for entry in result.latest(10)] == [["same"], ["same"], ["same"], ["other"]]
    assert [entry["args"] for entry in result.latest(2)] == [["same"], ["other"]]
    assert result.latest(0) == []
    assert (await session.console(limit=0, clear=True)).result.cleared == 4
    assert (await session.console(clear=True)).result.cleared == 0


async def test_a_long_log_is_saved_in_the_workspace(session: Session, site: Site, home: Path) -> None:
    await lines(session, site, "for (let i = 0; i < 40; i++) console.log(i + 'x'.repeat(900))", 12)
    result = (await session.console()).result
    path = Path(result.path)
    assert path.parent == home / "workspace" / "output"
    assert [entry["args"][0][:2] for entry in json.loads(path.read_text())][-1] == "39"
    assert f"cat {path}" in str(result)
