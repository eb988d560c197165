"""Pages that were changed so as to mislead a replay: what is meant has `data-truth=x`, as long as it is there."""

from __future__ import annotations

X = "data-truth=x"
_TRASH = "<svg width=20 height=20><path d='M3 6h18M8 6V4h8v2'></path></svg>"
_PENCIL = "<svg width=20 height=20><path d='M4 20h4L20 8l-4-4'></path></svg>"
_PLAY, _PAUSE = "<i class='fa fa-play'></i>", "<i class='fa fa-pause'></i>"


def _named(was: str, now: str, *others: str) -> tuple[str, str]:
    """Return a page with a button, and the same page where a button of another meaning stands in its place."""
    rest = "".join(f"<button>{name}</button>" for name in others)
    page = "<h1>Orders</h1><p>Order 12 of Ada</p><button {mark}>{name}</button>{rest}"
    return page.format(mark=X, name=was, rest=rest), page.format(mark="data-truth=y", name=now, rest=rest)


def _rows(*rows: tuple[str, str]) -> str:
    """Return a table of rows, each a text and the inner HTML of its button; the one that begins with * is meant."""
    marks = [X if text.startswith("*") else f"data-truth={number}" for number, (text, _) in enumerate(rows)]
    made = [
        f"<tr><td>{text.removeprefix('*')}<td><button {mark}>{inner}</button>"
        for mark, (text, inner) in zip(marks, rows, strict=True)
    ]
    return f"<h1>List</h1><table>{''.join(made)}</table>"


def _stars(**groups: str) -> str:
    """Return groups of buttons that all look the same, each under its heading; the one that is `x` is meant."""
    return "".join(
        f"<h2>{name}</h2><div>{stars.replace('x', f'<button {X}>★</button>').replace('.', '<button>★</button>')}</div>"
        for name, stars in groups.items()
    )


_NAMES = {
    "delete-all": ("Delete", "Delete all"),
    "delete-account": ("Delete draft", "Delete account"),
    "reject": ("Accept order", "Reject order"),
    "disable": ("Enable notifications", "Disable notifications"),
    "unsubscribe": ("Subscribe", "Unsubscribe"),
    "following": ("Follow Ada", "Following Ada"),
    "unfollow": ("Follow", "Unfollow"),
    "number": ("Pay invoice 17", "Pay invoice 18"),
    "other-person": ("Open Ann", "Open Bob"),
    "refuse": ("Accept cookies", "Refuse cookies"),
    "without": ("Send with tracking", "Send without tracking"),
    "log-out": ("Log in", "Log out"),
    "block": ("Message Ada", "Block Ada"),
    "everyone": ("Share with Ada", "Share with everyone"),
    "forever": ("Hide post", "Hide post forever"),
    "publish": ("Save post", "Publish post"),
    "pay": ("Review order", "Pay order"),
    "cancel": ("Confirm booking", "Cancel booking"),
    "not": ("Allow tracking", "Do not allow tracking"),
    "german": ("Bestellung annehmen", "Bestellung ablehnen"),
    "french": ("Accepter la commande", "Refuser la commande"),
    "archive": ("Open thread", "Archive thread"),
    "mute": ("Unmute call", "Mute call"),
    "wider": ("Remove item", "Remove items"),
    "undo": ("Approve", "Disapprove"),
}
CASES: dict[str, tuple[str, str]] = {
    **{name: _named(*names) for name, names in _NAMES.items()},
    "save-is-delete": _named("Save", "Delete", "Close"),
    "rows-swapped": (
        _rows(("*Ada", "Delete"), ("Bob", "Delete")),
        _rows(("Bob", "Delete"), ("*Ada", "Delete")),
    ),
    "row-gone": (_rows(("*Ada", "Delete"), ("Bob", "Delete")), _rows(("Bob", "Delete"), ("Cy", "Delete"))),
    "row-gone-one-left": (_rows(("*Ada", "Delete"), ("Bob", "Delete")), _rows(("Bob", "Delete"))),
    "only-row-is-another": (_rows(("*Ada 2 cups", "Delete")), _rows(("Bob 5 mugs", "Delete"))),
    "tea-of-another-colour": (
        _rows(("*Green tea 4.50", "Remove"), ("Black tea 3.00", "Remove")),
        _rows(("White tea 4.50", "Remove"), ("Black tea 3.00", "Remove")),
    ),
    # What has no name.
    "icon-swapped": (
        _rows(("*Ada", _TRASH), ("Bob", _PENCIL)),
        _rows(("Bob", _PENCIL), ("*Ada", _TRASH)),
    ),
    "icon-row-gone": (_rows(("*Ada", _TRASH), ("Bob", _TRASH)), _rows(("Bob", _TRASH), ("Cy", _TRASH))),
    "icon-row-gone-one-left": (_rows(("*Ada", _TRASH), ("Bob", _TRASH)), _rows(("Bob", _TRASH))),
    "icon-is-another": (f"<h1>Note</h1><button {X}>{_PENCIL}</button>", f"<h1>Note</h1><button>{_TRASH}</button>"),
    "icon-is-another-in-row": (_rows(("*Ada", _PENCIL), ("Bob", _PENCIL)), _rows(("Ada", _TRASH), ("Bob", _TRASH))),
    "icon-of-id-is-another": (
        f"<h1>Song</h1><button id=toggle {X}>{_PLAY}</button>",
        f"<h1>Song</h1><button id=toggle>{_PAUSE}</button>",
    ),
    "icons-of-toolbar-swapped": (
        f"<h1>Note</h1><div role=toolbar><button {X}>{_PENCIL}</button><button>{_TRASH}</button></div>",
        f"<h1>Note</h1><div role=toolbar><button>{_TRASH}</button><button {X}>{_PENCIL}</button></div>",
    ),
    "icon-of-toolbar-gone": (
        f"<h1>Note</h1><div role=toolbar><button {X}>{_PENCIL}</button><button>{_TRASH}</button></div>",
        f"<h1>Note</h1><div role=toolbar><button>{_TRASH}</button><button>{_PLAY}</button></div>",
    ),
    "icons-of-toolbar-all-new": (
        f"<h1>Note</h1><div role=toolbar><button {X}>{_PENCIL}</button><button>{_TRASH}</button></div>",
        f"<h1>Note</h1><div role=toolbar><button>{_PLAY}</button><button {X}>{_PAUSE}</button></div>",
    ),
    "icon-is-given-an-opposite-name": (
        f"<h1>Photo</h1><button {X}>{_PENCIL}</button>",
        f"<h1>Photo</h1><button aria-label='Remove from favourites'>{_PENCIL}</button>",
    ),
    "groups-swapped": (_stars(Taste=".x", Service=".."), _stars(Service="..", Taste=".x")),
    "groups-of-other-sizes": (_stars(Taste=".x", Service=".."), _stars(Taste=".", Service="...")),
    "two-of-a-name-in-each-row": (
        _rows(("*Ada", "Edit</button> <button>Edit"), ("Bob", "Edit</button> <button>Edit")),
        _rows(("Bob", "Edit</button> <button>Edit"), ("*Ada", "Edit</button> <button>Edit")),
    ),
    "columns-swapped": (
        "<h1>List</h1><table><tr><td>Ada<td>Address <button data-truth=x>Edit</button><td>Phone <button>Edit</button>"
        "<tr><td>Bob<td>Address <button>Edit</button><td>Phone <button>Edit</button></table>",
        "<h1>List</h1><table><tr><td>Ada<td>Phone <button>Edit</button><td>Address <button data-truth=x>Edit</button>"
        "<tr><td>Bob<td>Phone <button>Edit</button><td>Address <button>Edit</button></table>",
    ),
    "another-frame": (
        f"<h1>Shop</h1><p>Order 12</p><button {X}>Place order</button>",
        "<h1>Shop</h1><p>Sold out</p><iframe srcdoc='<h1>Advert</h1><button>Place order</button>'></iframe>",
    ),
    "dialog-of-another-thing": (
        _rows(("*Ada", "Open")),
        f"<div role=dialog aria-label=Offer><button>Open</button></div>{_rows(('Bob', 'Look'))}",
    ),
    "field-gone": (
        f"<h1>Join</h1><label>E-mail <input {X}></label><label>Password <input type=password></label>",
        "<h1>Join</h1><label>Password <input type=password></label>",
    ),
    "field-is-another": (
        f"<h1>Join</h1><label>E-mail <input {X}></label><label>Nickname <input></label>",
        "<h1>Join</h1><label>Nickname <input></label><label>Promo code <input></label>",
    ),
    "unnamed-field-moved": (
        f"<h1>Join</h1><p>E-mail</p><input {X}><p>City</p><input><button>Go</button>",
        f"<h1>Join</h1><p>City</p><input><p>E-mail</p><input {X}><button>Go</button>",
    ),
    "unnamed-field-gone": (
        f"<h1>Join</h1><p>E-mail</p><input {X}><p>City</p><input><button>Go</button>",
        "<h1>Join</h1><p>City</p><input><p>Street</p><input><button>Go</button>",
    ),
    "tick-is-another": (
        f"<h1>Join</h1><label><input type=checkbox {X}> I accept the terms</label>",
        "<h1>Join</h1><label><input type=checkbox> I want adverts</label>",
    ),
    "link-elsewhere": (
        f"<nav><a href=/cart {X}>Cart</a> <a href=/out>Log out</a></nav>",
        "<nav><a href=/checkout>Checkout</a> <a href=/out>Log out</a></nav>",
    ),
}
