"""A session as a single HTML file, which needs nothing else and runs no script."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from html import escape
from typing import Any

from rove.surfaces.gateway.gateway import Gateway
from rove.surfaces.gateway.methods.method import Client, Method, arg, method
from rove.surfaces.gateway.tokens import Scope

MAX_ENTRIES = 5000
PICTURE_TYPES = ("image/png", "image/jpeg", "image/webp", "image/gif")
# Allows the styles and the pictures inside the file, and nothing from elsewhere.
CSP = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
STYLE = """
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
article { padding: 0.8rem 0; border-top: 1px solid #8886; }
h2 { margin: 0; font-size: 1rem; }
p { margin: 0.2rem 0; }
small { opacity: 0.75; }
.failed { color: light-dark(#b0241c, #ff9c92); }
pre { padding: 0.6rem; overflow-wrap: anywhere; white-space: pre-wrap; background: #8882; }
img { max-width: 100%; border: 1px solid #8886; }
"""


@method("session.export", Scope.VIEW, returns="{html}")
class ExportSession(Method):
    """Return the record of a session, its pictures included, as a single HTML file."""

    session_key: str = arg("The session, open or closed.")

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        entries, has_more = await gateway.history(self.session_key, 0, MAX_ENTRIES, True)
        return {"html": await asyncio.to_thread(page_of, self.session_key, entries, has_more)}


def page_of(session: str, entries: list[dict[str, Any]], has_more: bool) -> str:
    """Return the HTML file. Every text in it may come from a page, and is escaped."""
    title = f"Session {escape(session)}"
    cut = f"<p>Only the last {MAX_ENTRIES} entries are shown.</p>" if has_more else ""
    made = time.strftime("%Y-%m-%d %H:%M:%S %Z")
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{CSP}">\n<title>{title}</title>\n'
        f"<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
        f"<p><small>{len(entries)} entries of its journal, exported by rove at {made}.</small></p>\n{cut}\n"
        + "\n".join(_article(entry) for entry in entries)
        + "\n</body>\n</html>\n"
    )


def _article(entry: Mapping[str, Any]) -> str:
    parts = (_heading(entry), _facts(entry), _texts(entry), *map(_picture, entry.get("attachments") or ()))
    return f'<article id="entry-{int(entry["number"])}">\n{"".join(parts)}</article>'


def _heading(entry: Mapping[str, Any]) -> str:
    match entry.get("kind", "action"):
        case "message":
            title = "Message" if entry.get("role") == "user" else "Answer"
        case "tool":
            title = f"Tool {entry.get('tool')}: {entry.get('phase')}"
        case "driver":
            title = f"{entry.get('person') or 'A person'}: {entry.get('event')}"
        case _:
            title = str(entry.get("summary") or entry.get("action"))
    return f"<h2>{escape(title)}</h2>\n"


def _facts(entry: Mapping[str, Any]) -> str:
    began = entry.get("began")
    outcome = str(entry.get("outcome") or "")
    shown = [
        time.strftime("%H:%M:%S", time.localtime(began)) if isinstance(began, int | float) else "",
        str(entry.get("actor") or ""),
        f"decision: {entry['decision']}" if entry.get("decision") else "",
        f"{entry['seconds']} s" if entry.get("seconds") else "",
        str(entry.get("url") or ""),
    ]
    facts = " · ".join(escape(part) for part in shown if part)
    if outcome:
        kind = "" if outcome == "done" else ' class="failed"'
        facts += f" · <span{kind}>{escape(outcome)}</span>"
    return f"<p><small>{facts}</small></p>\n"


def _texts(entry: Mapping[str, Any]) -> str:
    texts = []
    if entry.get("arguments"):
        texts.append(f"<pre>{escape(json.dumps(entry['arguments'], ensure_ascii=False, indent=1))}</pre>\n")
    if told := entry.get("text") or entry.get("changes"):
        texts.append(f"<pre>{escape(str(told))}</pre>\n")
    if entry.get("error"):
        texts.append(f'<p class="failed">{escape(str(entry["error"]))}</p>\n')
    return "".join(texts)


def _picture(attachment: Mapping[str, Any]) -> str:
    mime = str(attachment.get("mimeType"))
    data = attachment.get("data")
    if mime not in PICTURE_TYPES or not isinstance(data, str):
        return ""
    name = escape(str(attachment.get("name") or "Picture"))
    return f'<img alt="{name}" src="data:{mime};base64,{escape(data)}">\n'
