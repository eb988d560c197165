"""The reference page of the gateway's wire, from its methods and events."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from rove.fields import declared, schema_of
from rove.surfaces.gateway.events import EVENTS, EventKind
from rove.surfaces.gateway.methods.method import Method, camel, methods

INTRODUCTION = """\
`rove serve` starts one server: a web page, a WebSocket for programs and for that page, MCP over HTTP at `/mcp`,
`/healthz` and, for clients with a token, `/metrics` in Prometheus's format. It listens on `127.0.0.1:18789` unless
the [settings](settings.md) under `[serve]` say otherwise. Its chat, and the tools of the model: [chat.md](chat.md).

## Tokens

Every client needs a token. The owner's is made at the first start and kept in `$ROVE_HOME/gateway/owner-token`, which
the owner alone can read; write another into that file to choose it yourself. `tokens.create` makes others, with the
scopes `view` (see), `act` (open sessions, call tools, chat, pause and stop), `approve` (decide on requests; take a
session over, and let an agent go on) and `own` (all of these everywhere, settings and tokens). Each of them allows to
view. Only the hash of a token is kept.

Each token sees its own: sessions, their events, approvals, records, pictures, files, saved states and profiles belong
to the token that they were opened with. `view:all` also sees those of other tokens, and `approve:all` also approves and
takes over in them; `own` does everything. To a token, what it may not see does not exist: a session of another is
answered for like one that there never was. Names of sessions end with a mark of their token (`shop~1f2e3d4c5b6a`),
which a client may leave out of its own; what the owner opens has none. Files of a token are in a folder of `tokens` in
the workspace; `logins.shared` names states and profiles of the owner that other tokens may use.

`serve.token_sessions`, `serve.token_pages` and `serve.token_model_tokens` limit what each token besides the owner's may
use: sessions at once, pages an hour, and tokens of the chat's model an hour. What exceeds one is `limit_reached`, with
the seconds after which there is room again as `retry_after`. Without them, only the limits of the server hold, for all
together.

## Messages

Each message is a JSON object in a text frame. The first one authenticates:

```json
{"type": "auth", "token": "…"}
```

The server answers with the event `hello`. A client that reconnects adds `"since": N`, the `eventId` of the last event
that it saw, and is sent every event after that one. Then it sends requests, and receives answers and events, in any
order:

```json
{"id": "1", "method": "sessions.create", "params": {}}
{"id": "1", "result": {"sessionKey": "…"}}
{"id": "2", "error": {"code": "not_open", "message": "…", "hint": "…"}}
{"event": "chat.delta", "data": {"sessionKey": "…", "runId": "…", "text": "…"}, "eventId": 7}
```

A message that makes no sense is answered with an error; the connection stays. Codes are those of
[errors.md](errors.md), and `invalid_message`, `unknown_method`, `forbidden` (the token lacks a scope) and
`rate_limited`. The server closes a connection with one of these codes, and a reason:

| code | reason |
|---|---|
| 1001 | the server is stopping |
| 1009 | a message is larger than `serve.message_kilobytes` |
| 4400 | the first message is not a JSON object |
| 4401 | the token is missing, wrong, revoked or expired |
| 4408 | no authentication within 10 s |
| 4409 | more clients than `serve.connections` |
| 4429 | a flood of requests |

Requests from a page of another origin, or with another `Host`, are refused with status 403 and the name of the flag
that allows them.
"""


def gateway_lines() -> Iterator[str]:
    """Yield the lines of the page after its title."""
    yield from INTRODUCTION.splitlines()
    yield from ("", "## Methods", "", "| method | scope | result | |", "|---|---|---|---|")
    known = sorted(methods().values(), key=lambda cls: cls.wire_name)
    yield from map(_method, known)
    for cls in known:
        if dataclasses.fields(cls):  # type: ignore[arg-type]
            yield from _parameters(cls)
    yield from ("", "## Events", "")
    for kind in EVENTS.values():
        yield from _event(kind)


def _method(cls: type[Method]) -> str:
    needs = " or ".join(scope.value for scope in cls.needs)
    return f"| [`{cls.wire_name}`](#{_anchor(cls)}) | {needs} | `{cls.returns}` | {_doc(cls)} |"


def _anchor(cls: type[Method]) -> str:
    return cls.wire_name.replace(".", "") if dataclasses.fields(cls) else "methods"  # type: ignore[arg-type]


def _doc(cls: type[Method]) -> str:
    return " ".join((cls.__doc__ or "").split())


def _parameters(cls: type[Method]) -> Iterator[str]:
    schema = schema_of(cls)
    required = schema.get("required", [])
    yield from ("", f"### {cls.wire_name}", "", "| parameter | required | |", "|---|---|---|")
    for name, (_, rule) in declared(cls).items():
        yield f"| `{camel(name)}` | {'yes' if name in required else 'no'} | {rule.description} |"


def _event(kind: EventKind) -> Iterator[str]:
    yield from ("", f"### {kind.name}", "", kind.when)
    fields = {**({"sessionKey": "the session"} if kind.has_session else {}), **kind.data}
    yield from ("", "| data | |", "|---|---|") if fields else ()
    yield from (f"| `{name}` | {meaning} |" for name, meaning in fields.items())
