"""Targets (an element by ref, selector, or role and name), Playwright's locators, addresses, names of secrets."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Annotated, Any, TypeVar, get_args, get_origin

from rove.fields import FieldRule, Validated, declared
from rove.patterns import pattern
from rove.records import dataclass

Steps = list[dict[str, Any]]
_CALL = pattern(
    r"\.?(?P<name>[a-zA-Z]+)\((?P<arguments>(?:[^()'\"`/]|'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|/(?:[^/\\]|\\.)+/[a-z]*)*)\)"
)
_STRING = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_FIRST_ARGUMENT = pattern(
    rf"\s*(?P<text>{_STRING}|/(?:[^/\\]|\\.)+/[a-z]*|-?\d+)?\s*(?:,\s*)?(?P<options>\{{.*\}})?\s*", re.DOTALL
)
_OPTION = pattern(rf"(?P<name>\w+)\s*:\s*(?P<value>{_STRING}|/(?:[^/\\]|\\.)+/[a-z]*|\w+)")
_ENGINE = pattern(r"(?P<engine>text|role|css|data-testid|id|nth)=(?P<body>.*)", re.DOTALL)
_ROLE = pattern(r'(?P<role>[a-z]+)(?:\[name="(?P<name>(?:[^"\\]|\\.)*)"(?P<flag>[is]?)\])?')
_KINDS = {
    "getByText": "text",
    "getByLabel": "label",
    "getByPlaceholder": "placeholder",
    "getByAltText": "alt",
    "getByTitle": "title",
    "getByTestId": "testid",
    "locator": "css",
}
_REF = pattern(r"(?P<frame>f\d+)?(?P<local>e\d+)")
_ARIA_REF = pattern(r"aria-ref=(?:f(?P<frame>\d+))?e(?P<number>\d+)")
_POINT = pattern(r"(?P<x>\d+(?:\.\d+)?)\s*,\s*(?P<y>\d+(?:\.\d+)?)")
_QUOTED = pattern(r'"(?:[^"\\]|\\.)*"')
# As snapshots, deltas and searches print it; states, marks and text may follow.
_ROLE_AND_NAME = pattern(r'(?P<role>[a-z]+)\s+(?:label=)?(?P<guess>~?)"(?P<name>(?:[^"\\]|\\.)*)"(?:[\s:(].*)?')
# As jQuery writes it; CSS has no such selector. It also says that a text is a selector, whatever else it looks like.
_FIRST = ":first"
_LINE_START = pattern(r"(?:[-+~>]\s+)?(?:(?:in|under)\s+(?=[a-z]+\s))?")
_REF_IN_LINE = pattern(r"(?:^|\s)\[(?P<ref>(?:f\d+)?e\d+)\](?=[\s:]|$)")


def parse_locator(text: str) -> Steps | None:
    """Read a locator or a selector of Playwright; None if the text is neither."""
    text = text.strip().removeprefix("page.")
    if " >> " in text:
        return _chained(text.split(" >> "))
    if match := _ENGINE.fullmatch(text):
        return _selector_steps(match["engine"], match["body"])
    if not re.match(r"(?:getBy[A-Z]\w+|locator)\(", text):
        return None
    steps: Steps = []
    end = 0
    for match in _CALL.finditer(text):
        if match.start() != end:
            return None
        steps += _call_steps(match["name"], match["arguments"])
        end = match.end()
    return steps if end == len(text) else None


def _chained(parts: list[str]) -> Steps | None:
    """Read a chain of selectors, each inside what the one before means."""
    chain = [parse_locator(part) or [{"kind": "css", "text": part.strip()}] for part in parts]
    return [step for steps in chain for step in steps]


def _selector_steps(engine: str, body: str) -> Steps | None:
    if engine == "css":
        return [{"kind": "css", "text": body}]
    if engine == "nth":
        return [{"kind": "nth", "index": int(body)}] if body.lstrip("-").isdigit() else None
    if engine == "id":
        return [{"kind": "css", "text": f'[id="{body}"]'}]
    if engine == "data-testid":
        return [{"kind": "testid", "text": body}]
    if engine == "text":
        is_exact = len(body) > 1 and body[0] == body[-1] and body[0] in "\"'"
        return [{"kind": "text", "text": body[1:-1] if is_exact else body, "exact": is_exact}]
    match = _ROLE.fullmatch(body)
    if match is None:
        return None
    name = {} if match["name"] is None else {"text": match["name"], "exact": match["flag"] != "i"}
    return [{"kind": "role", "role": match["role"], **name}]


def _call_steps(name: str, arguments: str) -> Steps:
    match = _FIRST_ARGUMENT.fullmatch(arguments)
    if match is None:
        raise ValueError(f"is a locator whose part {name}({arguments}) cannot be read")
    options = {each["name"]: each["value"] for each in _OPTION.finditer(match["options"] or "")}
    exact = {"exact": True} if options.get("exact") == "true" else {}
    if name in ("first", "last", "nth"):
        return [{"kind": "nth", "index": {"first": 0, "last": -1}.get(name, int(match["text"] or 0))}]
    if name == "filter":
        return [{"kind": "hasText", **_wanted(options.get("hasText", "''"))}]
    if name == "getByRole":
        named = _wanted(options["name"]) if "name" in options else {}
        return [{"kind": "role", "role": _wanted(match["text"] or "''")["text"], **named, **exact}]
    if name not in _KINDS:
        raise ValueError(f"is a locator with {name}(), which is not supported")
    first = {"kind": _KINDS[name], **_wanted(match["text"] or "''"), **exact}
    return [first, *([{"kind": "hasText", **_wanted(options["hasText"])}] if "hasText" in options else [])]


def _wanted(literal: str) -> dict[str, Any]:
    """Return the text, or the pattern, of a JavaScript literal."""
    if literal.startswith("/"):
        body, _, flags = literal[1:].rpartition("/")
        return {"text": body, "isRegex": True, "flags": flags}
    inner = literal[1:-1]
    if literal.startswith("'"):
        inner = re.sub(r'(?<!\\)"', r"\"", inner.replace("\\'", "'"))
    return {"text": json.loads(f'"{inner}"')}


@dataclass(frozen=True)
class Ref:
    """An element as a snapshot numbered it: `e12`, or `f2e12` inside a frame."""

    frame: str
    local: str

    def __str__(self) -> str:
        return self.frame + self.local


@dataclass(frozen=True)
class AriaRef:
    """An element as an aria snapshot numbered it: `aria-ref=e12`, or `aria-ref=f2e12` inside the second frame."""

    frame: int
    number: int


@dataclass(frozen=True)
class Locator:
    """An element as a Playwright locator names it: `getByRole('button', { name: 'Save' })`."""

    text: str
    steps: Steps

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Selector:
    """A CSS selector; `is_first` chooses the first of several matches, in the order of the page."""

    css: str
    is_first: bool = False

    def __str__(self) -> str:
        return self.css


@dataclass(frozen=True)
class RoleAndName:
    """An element by its role and name; a guessed name is one that a snapshot marks with `~`."""

    role: str
    name: str
    is_guess: bool = False

    def __str__(self) -> str:
        return f'{self.role} {"~" if self.is_guess else ""}"{self.name}"'


@dataclass(frozen=True)
class Point:
    """A place in the viewport, in CSS pixels."""

    x: float
    y: float


Aim = Ref | AriaRef | Locator | Selector | RoleAndName | Point


@lru_cache(maxsize=256)
def parse_target(text: str) -> Aim:
    """Read a target, also a line of a snapshot as it stands. What is nothing else is a CSS selector."""
    text = text.strip()
    if not text:
        raise ValueError('must be a ref (e12), a CSS selector, or a role and a name (button "Save")')
    if text.endswith(_FIRST) and text != _FIRST:
        return Selector(text.removesuffix(_FIRST).rstrip(), is_first=True)
    # Snapshots print refs in brackets, and models copy the brackets.
    bare = text.removeprefix("[").removesuffix("]").removeprefix("@").removeprefix("ref=")
    if ref := _ref(bare):
        return ref
    if match := _POINT.fullmatch(text):
        return Point(float(match["x"]), float(match["y"]))
    if match := _ARIA_REF.fullmatch(text):
        return AriaRef(int(match["frame"] or 0), int(match["number"]))
    if (steps := parse_locator(text)) is not None:
        return Locator(text, steps)
    return _parse_line(text) or Selector(text)


def _parse_line(text: str) -> Ref | RoleAndName | None:
    """Read a line of a snapshot or a difference: by its ref if it has one, else by its role and name."""
    start = _LINE_START.match(text)
    line = text[start.end() :] if start else text
    # A name may contain what looks like a ref.
    refs = list(_REF_IN_LINE.finditer(_QUOTED.sub('""', line)))
    if len(refs) == 1 and (line[0].isalpha() or line[0] == '"'):
        return _ref(refs[0]["ref"])
    if match := _ROLE_AND_NAME.fullmatch(line):
        return RoleAndName(match["role"], re.sub(r"\\(.)", _unescape, match["name"]), bool(match["guess"]))
    return None


def _unescape(match: re.Match[str]) -> str:
    return "\n" if match[1] == "n" else match[1]


def _ref(text: str) -> Ref | None:
    match = _REF.fullmatch(text)
    return Ref(match["frame"] or "", match["local"]) if match else None


def _checked(text: str) -> str:
    parse_target(text)
    return text


Target = Annotated[str, FieldRule('Ref (e12), CSS selector, or role and name (button "Save").', check=_checked)]
V = TypeVar("V", bound=Validated)


def targets_in(value: Validated) -> dict[str, str]:
    """Return the targets among an action's arguments, by their path: `target`, `fields.0.target`."""
    return dict(_targets(value, ""))


def retargeted(value: V, targets: Mapping[str, str], where: str = "") -> V:
    """Return a copy with other targets at these paths."""
    changed: dict[str, Any] = {}
    for name, inner in ((field, getattr(value, field)) for field in declared(type(value))):
        place = where + name
        if place in targets:
            changed[name] = targets[place]
        elif isinstance(inner, tuple) and any(path.startswith(f"{place}.") for path in targets):
            changed[name] = tuple(
                _item_retargeted(item, targets, f"{place}.{index}") for index, item in enumerate(inner)
            )
    return dataclasses.replace(value, **changed)  # type: ignore[type-var]


def _item_retargeted(item: Any, targets: Mapping[str, str], place: str) -> Any:
    return targets.get(place, item) if isinstance(item, str) else retargeted(item, targets, f"{place}.")


def _targets(value: Validated, where: str) -> Iterator[tuple[str, str]]:
    for name, is_target in _fields_with_targets(type(value)).items():
        inner = getattr(value, name)
        if isinstance(inner, str) and is_target:
            yield where + name, inner
        elif isinstance(inner, tuple):
            for index, item in enumerate(inner):
                if isinstance(item, Validated):
                    yield from _targets(item, f"{where}{name}.{index}.")
                elif isinstance(item, str) and is_target:
                    yield f"{where}{name}.{index}", item


def _fields_with_targets(cls: type[Validated]) -> Mapping[str, bool]:
    """Return the fields of a class that may have targets, each with whether these are its own texts."""
    if cls not in _known:
        found = {name: (_is_target(hint), _has_list(hint)) for name, (hint, _) in declared(cls).items()}
        _known[cls] = {name: is_target for name, (is_target, has_list) in found.items() if is_target or has_list}
    return _known[cls]


_known: dict[type[Validated], Mapping[str, bool]] = {}


def _has_list(hint: Any) -> bool:
    return get_origin(hint) is tuple or any(map(_has_list, get_args(hint)))


def _is_target(hint: Any) -> bool:
    return hint == Target or (get_origin(hint) is not Annotated and any(map(_is_target, get_args(hint))))


# A word before a colon and a number is a host and its port, except for these schemes.
_SCHEME = pattern(r"(?:javascript|vbscript|data|blob|file|about|mailto):|[a-z][a-z0-9+.-]*:(?!\d)", re.IGNORECASE)
_LOCAL = pattern(r"(localhost|127\.\d+\.\d+\.\d+|\[::1\])(?=[:/?#]|$)", re.IGNORECASE)

# As the URL standard says, browsers drop tabs and newlines anywhere, and control characters at the start.
_IGNORED = dict.fromkeys(map(ord, "\t\n\r"))
_LEADING = "".join(map(chr, range(33)))
_WEB_SCHEME = pattern(r"https?:", re.IGNORECASE)
_AUTHORITY_START = pattern(r"^\s*https?:[/\\]*(?:[^/\\]*@)?", re.IGNORECASE)
# What the guard's proxy accepts as a host: see `endpoint_of`.
_LABEL = pattern(r"[A-Za-z0-9_~!$&'()*+,;=-]+")


def with_scheme(address: str) -> str:
    """Complete an address that has no scheme: `example.com` becomes https, `localhost:3000` http."""
    address = address.strip()
    if not address:
        raise ValueError("must be an address such as https://example.com")
    if _SCHEME.match(address):
        return address
    if re.search(r"\s", address):
        raise ValueError("is not an address: it contains spaces")
    scheme, mark, _ = address.partition("://")
    if mark and scheme and not set("/?#") & set(scheme):
        raise ValueError(f"is not an address: {scheme}: is not a scheme; write one like {ADDRESS_EXAMPLE}")
    return ("http://" if _LOCAL.match(address) else "https://") + address.removeprefix("//")


def web_address(address: str) -> str:
    """Return an address as browsers write it; one of another scheme as it is, for the policy to refuse.

    Raises ValueError for what the URL standard rejects, and for hosts that no name server could be asked for. Chromium
    would escape the characters in them and ask the proxy, which cannot read that.
    """
    completed = with_scheme(address)
    if not _WEB_SCHEME.match(completed.translate(_IGNORED).lstrip(_LEADING)):
        return completed
    from ada_url import URL  # imported late: it takes 5 ms, and a server's start needs no address

    try:
        url = URL(completed)
    except ValueError:
        raise _invalid_address(completed) from None
    if url.port == "0" or not _is_host(url.hostname):
        raise _invalid_address(completed)
    return str(url.href)


def _is_host(name: str) -> bool:
    return name.startswith("[") or all(map(_LABEL.fullmatch, name.removesuffix(".").split(".")))


def _invalid_address(address: str) -> ValueError:
    return ValueError(f"is not a valid address: {_complaint(address)}; write one like {ADDRESS_EXAMPLE}")


def _complaint(address: str) -> str:
    """Return what is probably wrong with an address that is not valid."""
    host = _AUTHORITY_START.sub("", address).partition("/")[0]
    if re.search(r"\s|%20", host):
        return "a host has no spaces"
    return "it has no host" if not host else "no host or port can be written like that"


Url = Annotated[str, FieldRule(check=web_address)]
ADDRESS_EXAMPLE = "https://example.com/path"
ORIGIN_EXAMPLES = "write one like https://example.com or http://localhost:3000"


def canonical_origin(text: str) -> str:
    """Return an origin as browsers write it, such as `https://example.com:8443`. Raises ValueError."""
    from ada_url import URL  # imported late: it takes 5 ms, and few actions name an origin

    try:
        url = URL(text)
    except ValueError:
        raise ValueError(f"{text!r} is not an origin; {ORIGIN_EXAMPLES}") from None
    # A URL with a path, a query or credentials is not an origin. `*` is valid in a host, but here it is a mistake.
    if url.protocol not in ("http:", "https:") or url.href != f"{url.origin}/" or "*" in url.host:
        raise ValueError(f"{text!r} is not an origin; {ORIGIN_EXAMPLES}")
    return url.origin


Origin = Annotated[str, FieldRule("Scheme, host and port, such as https://example.com.", check=canonical_origin)]
_SECRET_NAME = pattern(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


def is_secret_name(text: str) -> bool:
    return _SECRET_NAME.fullmatch(text) is not None


def secret_named(text: str) -> str | None:
    """Return the name of the secret that a text stands for (`secret:github`); None if it is ordinary text."""
    name = text.removeprefix("secret:")
    return name if name != text and is_secret_name(name) else None


def within(origin: str, address: str) -> str:
    """Return an address without the page's origin, if it has that: `/app.js`."""
    return address[len(origin) :] if address.startswith(f"{origin}/") else address
