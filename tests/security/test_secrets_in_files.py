"""G6: Files that rove writes of what pages say do not contain the values of secrets either."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from tests.site import Site

from rove import Session, Settings
from rove.engine.sessions import Sessions

VALUE = 'pa"ss & <wörd>+7'
LONG = "'x'.repeat(30000)"


async def test_no_file_of_long_output_contains_the_value(settings: Settings, site: Site, tmp_path: Path) -> None:
    secrets = tmp_path / "secrets.toml"
    value = json.dumps(VALUE, ensure_ascii=False)
    secrets.write_text(f"[shop]\norigins = {json.dumps([site.url('')])}\nvalue = {value}", encoding="utf-8")
    secrets.chmod(0o600)
    workspace = tmp_path / "workspace"
    async with Sessions(replace(settings, secrets=secrets, workspace=workspace)) as sessions:
        agent = Session(sessions, None)
        site.page("/echo", VALUE + "x" * 5000, kind="text/plain")
        await agent.navigate(site.page("/", "<input id=p type=password>"))
        await agent.fill("#p", "secret:shop")
        await agent.evaluate(f"p.value + {LONG}")
        await agent.evaluate(
            f"localStorage.a = p.value + {LONG}; for (let i = 0; i < 30; i++) console.log(p.value, i, {LONG})"
        )
        await agent.storage("local")
        await agent.console()
        await agent.evaluate("fetch('/echo').then(r => r.text()).then(() => 1)")
        (line,) = (await agent.network(url="/echo")).result.requests
        details = (await agent.network(request=line.request, body=True)).result.details
        assert details is not None and details.received is not None
        assert details.received.text == "[withheld: carries secret shop]"
    files = {path.name: path.read_text(encoding="utf-8") for path in (workspace / "output").iterdir()}
    assert {"value.json", "local-storage.json", "console.json"} <= set(files)
    for name, text in files.items():
        assert "[secret shop]" in text, name
        assert VALUE not in text and json.dumps(VALUE, ensure_ascii=False)[1:-1] not in text, name
