"""The pages that are redesigned: forms, lists, tables, and controls that are nothing but a picture."""

from __future__ import annotations

from importlib.resources import files

from bench import pages

_PATHS = {
    "trash": "M3 6h18M8 6V4h8v2M6 6l1 14h10l1-14",
    "pencil": "M4 20h4L20 8l-4-4L4 16z",
    "copy": "M9 9h11v11H9zM5 15H4V4h11v1",
    "star": "M12 2l3 7h7l-6 4 3 8-7-5-7 5 3-8-6-4h7z",
    "archive": "M3 4h18v4H3zM5 8v12h14V8M10 12h4",
    "bold": "M6 4h7a4 4 0 010 8H6zM6 12h8a4 4 0 010 8H6z",
    "italic": "M10 4h8M6 20h8M14 4l-4 16",
    "link": "M10 13a5 5 0 007 0l3-3M14 11a5 5 0 00-7 0l-3 3",
    "play": "M5 3l14 9-14 9z",
    "next": "M5 4l10 8-10 8zM19 5v14",
    "heart": "M12 21C5 15 2 11 2 8a5 5 0 0110-2 5 5 0 0110 2c0 3-3 7-10 13z",
}
MEANINGS = {
    "trash": "Delete", "pencil": "Edit", "copy": "Duplicate", "star": "Star", "archive": "Archive", "bold": "Bold",
    "italic": "Italic", "link": "Insert link", "play": "Play", "next": "Next track", "heart": "Like",
}  # fmt: skip
PEOPLE = (
    ("Ada Lovelace", "London"),
    ("Grace Hopper", "New York"),
    ("Radia Perlman", "Boston"),
    ("Lynn Conway", "Ann Arbor"),
)


def drawn(icon: str) -> str:
    """Return a button that shows a drawing, and says nothing."""
    svg = f'<svg viewBox="0 0 24 24" width=20 height=20><path d="{_PATHS[icon]}"></path></svg>'
    return f"<button data-meaning='{MEANINGS[icon]}'>{svg}</button>"


def of_library(icon: str) -> str:
    svg = f'<svg class="lucide lucide-{icon}" width=20 height=20><path d="{_PATHS[icon]}"></path></svg>'
    return f"<button class=tool data-meaning='{MEANINGS[icon]}'>{svg}</button>"


def of_sprite(icon: str) -> str:
    svg = f"<svg width=20 height=20><use href='/sprite.svg#{icon}'></use></svg>"
    return f"<button data-meaning='{MEANINGS[icon]}'>{svg}</button>"


def of_font(icon: str) -> str:
    return f"<button data-meaning='{MEANINGS[icon]}'><i class='fa fa-{icon}' aria-hidden=true></i></button>"


def of_image(icon: str) -> str:
    return f"<button data-meaning='{MEANINGS[icon]}'><img src='/icons/{icon}.png' alt='' width=20 height=20></button>"


_FONT = "".join(f".fa-{name}::before {{ content: '\\f{number:03x}' }}" for number, name in enumerate(_PATHS, 16))
_STARS = "".join(
    "<button class=s><svg width=16 height=16><path d='M8 1l2 5h5l-4 3z'></path></svg></button>" for _ in range(5)
)


def _people() -> str:
    rows = (f"<tr><td>{name}<td>{town}<td>{drawn('pencil')}{drawn('trash')}" for name, town in PEOPLE)
    return pages.document("People", f"<main><h1>People</h1><table><tbody>{''.join(rows)}</tbody></table></main>")


def _mail() -> str:
    tools = "".join(map(of_font, ("star", "archive", "trash")))
    rows = (
        f"<li><a href='/mail/{number}'>{name}: about {town}</a> {tools}</li>"
        for number, (name, town) in enumerate(PEOPLE)
    )
    body = f"<main><h1>Inbox</h1><ul>{''.join(rows)}</ul><button>Compose</button></main>"
    return pages.document("Inbox", body, style=_FONT)


def _editor() -> str:
    tools = "".join(map(of_library, ("bold", "italic", "link", "copy", "trash")))
    body = f"<main><h1>Note</h1><div role=toolbar aria-label=Text>{tools}</div><label>Title <input name=title></label>"
    return pages.document("Note", f"{body}<textarea aria-label=Text></textarea><button>Save</button></main>")


def _player() -> str:
    songs = "".join(
        f"<li>{song} {of_sprite('play')}{of_sprite('heart')}</li>" for song in ("Blue Train", "Naima", "So What")
    )
    return pages.document("Songs", f"<main><h1>Songs</h1><ul>{songs}</ul>{of_sprite('next')}</main>")


def _ratings() -> str:
    groups = "".join(
        f"<section><h2>{name}</h2><div role=group>{_STARS}</div></section>" for name in ("Taste", "Service")
    )
    return pages.document(
        "Rate us", f"<main><h1>Rate us</h1>{groups}<label>Comment <input></label><button>Send</button></main>"
    )


def _cards() -> str:
    cards = "".join(
        f"<article><h3>{name}</h3><p>Lives in {town}.</p>{of_image('pencil')}{of_image('copy')}"
        f"<a href='/p/{number}'>Details</a></article>"
        for number, (name, town) in enumerate(PEOPLE)
    )
    return pages.document("Cards", f"<main><h1>Cards</h1><section>{cards}</section></main>")


_SHOP = """<header><nav aria-label=Main><a href=/shop>Home</a> <a href=/about>About us</a></nav></header>
<main><h1>Shop</h1>
<form aria-label=Search><label>Search <input type=search name=q></label><button>Search</button></form><ul class=teas>
<li><h3>Green tea</h3> 4.50 <button class=add>Add to basket</button> <a href=/tea/green>Details</a></li>
<li><h3>Black tea</h3> 3.00 <button class=add>Add to basket</button> <a href=/tea/black>Details</a></li>
<li><h3>White tea</h3> 6.20 <button class=add>Add to basket</button> <a href=/tea/white>Details</a></li></ul>
<section><h2>Basket</h2>
<table><tr><td>Green tea<td><button>Remove</button><tr><td>Rooibos<td><button>Remove</button></table>
<label>Your name <input name=who></label><label><input type=checkbox name=gift> As a gift</label>
<button id=send>Place order</button></section></main>"""
_ACCOUNT = """<main><h1>Account</h1><form><h2>Profile</h2><label>First name <input name=first></label>
<label>Last name <input name=last></label><label>E-mail <input type=email name=mail autocomplete=email></label>
<label>Phone <input type=tel name=phone></label><button>Save</button></form><form><h2>Address</h2>
<label>Street <input name=street></label><label>City <input name=city></label>
<label>Country <select name=land><option>France<option>Peru<option>Japan</select></label><button>Save</button></form>
<form><h2>Security</h2><label>Password <input type=password name=pw></label>
<label><input type=checkbox name=two> Ask for a code</label>
<button>Change password</button><button>Delete account</button></form></main>"""


def every_page() -> dict[str, str]:
    """Return the pages by their paths."""
    demo = files("rove.demo") / "pages"
    return {
        "/tea-room": (demo / "index.html").read_text("utf-8"),
        "/teas": (demo / "teas.html").read_text("utf-8"),
        "/small": pages.small(),
        "/stories": pages.stories(8),
        "/table": pages.table(12),
        "/address": pages.address(),
        "/payment": pages.payment(),
        "/security": pages.security(),
        "/shop": pages.document("Shop", _SHOP),
        "/account": pages.document("Account", _ACCOUNT),
        "/people": _people(),
        "/mail": _mail(),
        "/editor": _editor(),
        "/player": _player(),
        "/ratings": _ratings(),
        "/cards": _cards(),
    }
