"""Whether something that is pressed may still be the same thing under another name.

A redesign says "Place your order" where it said "Place order". But "Delete all" is not "Delete", "Reject order" not
"Accept order" and "Unfollow" not "Follow", though they look as much alike: there, to stop is the only right answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

# Beginnings of words that say that something is destroyed. What is destroyed is said by the rest of the name, so that
# nothing of such a name may change. The languages are those that are often met.
_DESTROYING = (
    "delet", "remov", "eras", "destroy", "wipe", "purg", "discard", "trash", "reset", "revoke", "terminat",
    "uninstall", "lösch", "entfern", "verwerf", "supprim", "effac", "elimin", "borrar", "rimuov", "cancell",
    "exclu", "apagar", "verwijder",
)  # fmt: skip
# Beginnings of words that turn what a name says into something else. A word too many costs a stop, a word too few a
# wrong press.
_TURNING = (
    *_DESTROYING,
    "clear", "withdraw", "cancel", "abort", "reject", "refus", "deny", "decline", "disagree", "dismiss", "block",
    "suspend", "disabl", "deactivat", "hide", "mute", "archiv", "logout", "skip", "purchas", "donat", "transfer",
    "publish", "share", "refund", "everything", "everyone", "entire", "permanent", "forever", "never", "without",
    "except", "abbrech", "ablehn", "deaktiv", "kündig", "bezahl", "kauf", "annul", "désactiv", "achet", "rechaz",
    "desactiv", "rifiut", "disattiv", "acquist", "recus", "desativ", "annuleer", "weiger", "uitschakel", "betaal",
    "verstuur",
)  # fmt: skip
_TURNING_WORDS = frozenset([
    "stop", "end", "close", "quit", "leave", "off", "out", "pay", "buy", "send", "post", "bid", "sell", "ban",
    "lock", "drop", "all", "every", "any", "not", "no", "dont", "alle", "alles", "nicht", "ohne", "kein", "keine",
    "senden", "zahlen", "tout", "tou", "toute", "san", "pas", "non", "payer", "envoyer", "todo", "toda", "sin",
    "pagar", "comprar", "enviar", "tutto", "tutti", "tutte", "senza", "paga", "invia", "tudo", "sem", "niet",
    "zonder", "koop",
])  # fmt: skip


def may_be_renamed(was: str, now: str) -> bool:
    """Whether one name may have become another: nothing in what they differ by changes what a press does."""
    first, second = words_of_name(was), words_of_name(now)
    if any(word.startswith(_DESTROYING) for word in first):
        # `Remove items` is more than `Remove item`.
        return _letters(was) == _letters(now)
    if "".join(first) == "".join(second):
        return True
    lost, gained = _without(first, second), _without(second, first)
    if any(_turns(word) for word in (*lost, *gained)):
        return False
    return not any(_is_form_of(one, other) for one in lost for other in gained)


def may_be_named(icon: str, name: str) -> bool:
    """Whether what had an icon and no name may have this name now: a word that destroys fits only an icon that does."""
    is_destroying = any(word.startswith(_DESTROYING) for word in words_of_name(icon))
    gained = words_of_name(name)
    return not any(_turns(word) and not (is_destroying and word.startswith(_DESTROYING)) for word in gained)


def names_another(was: str, now: str) -> bool:
    """Whether words that are replaced are names of persons or things, as a capital within a name shows."""
    mine, theirs = ({*re.findall(r"[^\W_]+", name)} for name in (was, now))
    first = {*re.findall(r"[^\W_]+", was)[:1], *re.findall(r"[^\W_]+", now)[:1]}
    return any(word[0].isupper() for word in (mine ^ theirs) - first)


def _letters(name: str) -> str:
    return "".join(re.findall(r"[^\W_]+", name.casefold()))


def words_of_name(name: str) -> list[str]:
    """Return the words of a name; a plural is the same word."""
    words: list[str] = re.findall(r"[^\W_]+", re.sub(r"['’]", "", name.casefold()))
    return [word.removesuffix("s") if len(word) > 3 else word for word in words]


def _without(words: Iterable[str], others: Iterable[str]) -> list[str]:
    known = {*others}
    return [word for word in words if word not in known]


def _turns(word: str) -> bool:
    """Whether a word makes another thing of a name; a number does, as in `Invoice 17`."""
    return word in _TURNING_WORDS or word.startswith(_TURNING) or any(map(str.isdigit, word))


def _is_form_of(one: str, other: str) -> bool:
    """Whether a word has become its opposite or a state: `Unfollow` or `Following`, which a press would undo."""
    short, long = sorted((one, other), key=len)
    return len(short) > 1 and (long.endswith(short) or long.startswith(short))
