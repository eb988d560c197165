"""Choosing the element that a description means among those that a page has now.

A redesign says "Place your order" where it said "Place order". But "Delete all" is not "Delete", "Reject order" not
"Accept order" and "Unfollow" not "Follow", though they look as much alike: there, to stop is the only right answer.

It is found by its role and name; else by an id; else by its name and what is around it together. What has no name is
called by its icon. Where two would do almost as well, or none well enough, none is chosen: to act on a wrong element is
worse than to stop.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Literal

from rove.browser.element import Candidate, ElementDescription
from rove.records import dataclass

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

DRAWING = "#"
Way = Literal["ref", "role and name", "role and icon", "neighbourhood", "id", "nothing"]
TEST_ATTRIBUTES = ("data-testid", "data-test-id", "data-test", "data-qa", "data-cy")
_IDENTIFYING = (*TEST_ATTRIBUTES, "id")
# How much the name counts: that of a field is a label, which is reworded more often than moved.
_NAME, _NAME_OF_FIELD = 4.0, 2.5
# How much each fact about what is around an element counts.
_AROUND = {"landmark": 1.0, "heading": 2.0, "item": 3.0, "before": 1.5, "after": 1.0}
_ATTRIBUTES = ("type", "placeholder", "autocomplete", "path", "title", "alt", "name")
# Those of them that say what a field is for, whatever it is labelled.
_PURPOSE = ("autocomplete", "placeholder", "name")
# Fields are known by their place in a form as much as by their labels; what is pressed or ticked is known by its name.
FIELD_ROLES = frozenset({"textbox", "searchbox", "combobox", "spinbutton", "listbox", "slider"})
# The least likeness of names with which something that can be pressed counts as the same.
LEAST_LIKENESS = 0.5
# The least share of the words that told an element from its equals, and of those of the row of a single one.
LEAST_DISTINCT = 0.8
LEAST_OF_ROW = 0.34
# The least score of a match by neighbourhood, and by how much it must be better than the next.
LEAST_SCORE = 0.55
LEAST_LEAD = 0.1
# The same for elements of equal names, which only what is around them tells apart.
LEAST_AROUND = 0.5
LEAST_LEAD_OF_EQUALS = 0.25
MOST_LISTED = 5


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


def icon_words(icon: str) -> str:
    """Return what the page's code calls an icon, such as `trash`; nothing if it does not say."""
    return " ".join(word for word in icon.split() if not word.startswith(DRAWING))


def are_same_icons(one: str, other: str) -> bool:
    """Whether two elements show the same: it is called the same or, where one of them is not called, drawn the same.

    Where neither can be compared, the answer is no: an icon is all that says what such an element does.
    """
    mine, theirs = words_of_name(icon_words(one)), words_of_name(icon_words(other))
    if mine and theirs:
        return {*mine} == {*theirs}
    drawings = [{word for word in icon.split() if word.startswith(DRAWING)} for icon in (one, other)]
    return bool(drawings[0]) and drawings[0] == drawings[1]


@dataclass(frozen=True)
class Verdict:
    """The element that was chosen and by what; or none, and those that come nearest."""

    way: Way
    chosen: Candidate | None = None
    nearest: tuple[Candidate, ...] = ()
    is_ambiguous: bool = False

    def nearest_is_called(self, wanted: ElementDescription) -> bool:
        """Whether none was chosen though there are some that are called what is meant."""
        return any(_is_called_same(wanted, each.description) for each in self.nearest)

    @property
    def is_healed(self) -> bool:
        """Whether the element is not called what it was, so that the recording should be brought up to date."""
        return self.way in ("id", "neighbourhood")


def choose(wanted: ElementDescription, candidates: Sequence[Candidate], origin: str | None = None) -> Verdict:
    """Return the element that a description means now. A ref counts only if the description has one.

    `origin`: that of the page, in whose frames an element is looked for that is not where it was.
    """
    near, is_same_frame = _in_same_frame(wanted, candidates)
    verdict = _choose_near(wanted, near)
    if verdict.chosen is None and not verdict.nearest_is_called(wanted):
        return _elsewhere(wanted, [each for each in candidates if each not in near], origin) or verdict
    if is_same_frame or verdict.chosen is None or verdict.is_healed:
        return verdict
    # Another frame may have an element of the same name: what is around it must agree, and it is told as healed.
    return _in_another_frame(wanted, verdict)


def _elsewhere(wanted: ElementDescription, others: Sequence[Candidate], origin: str | None) -> Verdict | None:
    """Return the element that was moved into a frame of the page's own origin, or out of one; None if none was."""
    own = [each for each in others if origin is not None and each.line.origin == origin]
    same = [each for each in own if _is_called_same(wanted, each.description)]
    frames = {each.description.frames for each in same}
    if len(frames) != 1:
        return None
    verdict = _choose_near(replace(wanted, ref=""), same)
    moved = _in_another_frame(wanted, verdict) if verdict.chosen else verdict
    return moved if moved.chosen else None


def _in_another_frame(wanted: ElementDescription, verdict: Verdict) -> Verdict:
    """Return a verdict on an element of another frame: what is around it must agree, and it is told as healed."""
    if verdict.chosen is None or not _agrees_around(wanted, verdict.chosen):
        return Verdict("nothing", nearest=(verdict.chosen,) if verdict.chosen else verdict.nearest)
    return replace(verdict, way="neighbourhood")


def _choose_near(wanted: ElementDescription, near: Sequence[Candidate]) -> Verdict:
    same = [each for each in near if _is_called_same(wanted, each.description)]
    by_ref = [each for each in same if wanted.ref and each.ref == wanted.ref]
    # Another process may have given the same number to another element, and a page that is drawn again other words.
    if by_ref and _is_consistent(wanted, by_ref[0]) and _around(wanted, by_ref[0]) >= LEAST_AROUND:
        return Verdict("ref", by_ref[0])
    if same:
        return _among_equals(wanted, same)
    by_id = [each for each in near if _has_same_id(wanted, each.description)]
    if len(by_id) == 1 and _may_be_called(wanted, by_id[0].description) and _is_consistent(wanted, by_id[0]):
        return Verdict("id", by_id[0])
    return _by_neighbourhood(wanted, near)


def _in_same_frame(wanted: ElementDescription, candidates: Sequence[Candidate]) -> tuple[list[Candidate], bool]:
    """Return the candidates in the frame that is meant; those at the same depth, if its selector is another now."""
    same = [each for each in candidates if each.description.frames == wanted.frames]
    return same or [each for each in candidates if len(each.description.frames) == len(wanted.frames)], bool(same)


def _is_consistent(wanted: ElementDescription, candidate: Candidate) -> bool:
    """Whether an element is not in the row of another thing: ids and places are given anew when rows come and go."""
    if wanted.equals > 1 and wanted.distinct:
        return _distinct_share(wanted, candidate.description) >= LEAST_DISTINCT
    mine, theirs = wanted.item, candidate.description.item
    # The text of a long item is cut off, and is rather that of an article than of a row.
    if not mine or mine.endswith("…"):
        return True
    if theirs:
        return words_in_common(mine, theirs) >= LEAST_OF_ROW
    # A row that has become something else has its words, or what else was near, beside or above the element.
    other = candidate.description
    near = _around_facts(replace(wanted, item=""), other)
    return not near or _mean(near) > 0 or bool(_words(mine) & _words(_text_near(other)))


def _may_be_called(wanted: ElementDescription, other: ElementDescription) -> bool:
    """Whether an element may have been renamed to this: it is no neighbour of the one that is meant."""
    if other.name and other.name.casefold() in (wanted.before.casefold(), wanted.after.casefold()):
        return wanted.name.casefold() == other.name.casefold()
    if wanted.role in FIELD_ROLES:
        return True
    if not wanted.name:
        is_redrawn = wanted.icon and other.icon and not are_same_icons(wanted.icon, other.icon)
        return not is_redrawn and may_be_named(icon_words(wanted.icon), other.name)
    return may_be_renamed(wanted.name, other.name)


def _is_called_same(wanted: ElementDescription, other: ElementDescription) -> bool:
    if wanted.role != other.role:
        return False
    if not wanted.name:
        return not other.name and _looks_same(wanted, other)
    return wanted.name.casefold() == other.name.casefold()


def _looks_same(wanted: ElementDescription, other: ElementDescription) -> bool:
    """Whether an element without a name shows the same icon; what shows none is known by its place or an id alone."""
    if wanted.icon or wanted.role in FIELD_ROLES:
        return wanted.icon == other.icon == "" or are_same_icons(wanted.icon, other.icon)
    return wanted.selector == other.selector or _has_same_id(wanted, other)


def _has_same_id(wanted: ElementDescription, other: ElementDescription) -> bool:
    """Whether both have the same id or test id, or are the field of a form that has the same name."""
    mine, theirs = wanted.attributes, other.attributes
    if any(name in mine and mine[name] == theirs.get(name) for name in _IDENTIFYING):
        return wanted.role == other.role or wanted.tag == other.tag
    is_field = wanted.role in FIELD_ROLES and wanted.role == other.role
    return is_field and "name" in mine and mine["name"] == theirs.get("name")


def _among_equals(wanted: ElementDescription, same: Sequence[Candidate]) -> Verdict:
    """Choose among elements that all have the right role and name."""
    called: Way = "role and name" if wanted.name else "role and icon"
    # That two elements have no name, and show nothing, makes them no equals.
    if not wanted.name and not wanted.icon:
        same = [each for each in same if _agrees_around(wanted, each)] or same
    if len(same) == 1 and wanted.equals == 1:
        is_sure = wanted.name or wanted.icon or _agrees_around(wanted, same[0])
        return Verdict(called, same[0]) if is_sure and _is_consistent(wanted, same[0]) else _undecided(same)
    by_id = [each for each in same if _has_same_id(wanted, each.description)]
    if len(by_id) == 1 and _is_consistent(wanted, by_id[0]):
        return Verdict(called, by_id[0])
    if wanted.equals > 1 and not wanted.distinct:
        return _by_place(wanted, same)
    if wanted.group > 1:
        return _in_group(wanted, same)
    is_distinct = wanted.equals > 1
    score = _distinct_share if is_distinct else around_likeness
    ranked = _ranked(same, lambda each: score(wanted, each.description))
    best, chosen = ranked[0]
    lead = best - ranked[1][0] if len(ranked) > 1 else 1.0
    least = LEAST_DISTINCT if is_distinct else LEAST_AROUND
    if best >= least and lead >= LEAST_LEAD_OF_EQUALS and _is_consistent(wanted, chosen):
        return Verdict("neighbourhood" if is_distinct and best < 1 else called, chosen)
    return _undecided([each for _, each in ranked])


def _by_place(wanted: ElementDescription, same: Sequence[Candidate]) -> Verdict:
    """Choose among elements that nothing but their order told apart, if there are as many as there were."""
    by_place = [each for each in same if each.description.place == wanted.place]
    if len(same) == wanted.equals and len(by_place) == 1 and _is_best_beside(wanted, by_place[0], same):
        is_sure = wanted.name or wanted.selector == by_place[0].description.selector
        return Verdict("role and name" if is_sure else "neighbourhood", by_place[0])
    return _undecided(same)


def _in_group(wanted: ElementDescription, same: Sequence[Candidate]) -> Verdict:
    """Choose among the elements of one row, which only their order tells apart, if it has as many as it had."""
    row = [each for each in same if _distinct_share(wanted, each.description) >= LEAST_DISTINCT]
    row.sort(key=lambda each: each.description.place)
    if len(row) != wanted.group or not _is_best_beside(wanted, chosen := row[wanted.group_place - 1], row):
        return _undecided(same)
    return Verdict("neighbourhood", chosen)


def _is_best_beside(wanted: ElementDescription, chosen: Candidate, equals: Sequence[Candidate]) -> bool:
    """Whether no other has more of the words that stood beside the one that is meant: then their order has changed."""
    beside = replace(wanted, item="", heading="", landmark="")
    return all(_around(beside, each) <= _around(beside, chosen) for each in equals)


def _agrees_around(wanted: ElementDescription, candidate: Candidate) -> bool:
    """Whether what is around an element is what was around the one that is meant, as far as that is known."""
    facts = _around_facts(wanted, candidate.description)
    return not facts or _mean(facts) >= LEAST_AROUND


def _undecided(same: Sequence[Candidate]) -> Verdict:
    return Verdict("nothing", nearest=tuple(same[:MOST_LISTED]), is_ambiguous=len(same) > 1)


def _distinct_share(wanted: ElementDescription, other: ElementDescription) -> float:
    """Return how many of the words that told an element from its equals stand by another, from 0 to 1."""
    where = getattr(other, wanted.distinct_in, "") if wanted.distinct_in in _AROUND else ""
    # A row that has become something else has its words beside or above the element.
    text = where or f"{other.item} {_text_near(other)}"
    words, found = re.findall(r"\w+", wanted.distinct.casefold()), _words(text)
    return sum(word in found for word in words) / len(words) if words else 0.0


def _text_near(element: ElementDescription) -> str:
    return f"{element.heading} {element.before} {element.after}"


def _words(text: str) -> set[str]:
    return {*re.findall(r"\w+", text.casefold())}


def _by_neighbourhood(wanted: ElementDescription, near: Sequence[Candidate]) -> Verdict:
    """Choose among elements that are called otherwise, by their names and what is around them."""
    ranked = _ranked(near, lambda each: score_of(wanted, each))
    alike = [(score, each) for score, each in ranked if score >= LEAST_SCORE and _is_like(wanted, each)]
    fitting = [(score, each) for score, each in alike if _may_be_meant(wanted, each)]
    if not fitting:
        return Verdict("nothing", nearest=tuple(each for _, each in ranked[:MOST_LISTED]))
    best, chosen = fitting[0]
    # What may not be meant still casts doubt, if it is as much alike.
    if any(best - score < LEAST_LEAD for score, each in alike if each is not chosen):
        return Verdict("nothing", nearest=tuple(each for _, each in alike[:MOST_LISTED]), is_ambiguous=True)
    return Verdict("neighbourhood", chosen)


def _is_like(wanted: ElementDescription, candidate: Candidate) -> bool:
    is_field = wanted.role in FIELD_ROLES and wanted.role == candidate.description.role
    if not wanted.name and not is_field:
        return are_same_icons(wanted.icon, candidate.description.icon)
    return is_field or name_likeness(wanted, candidate) >= LEAST_LIKENESS


def _may_be_meant(wanted: ElementDescription, candidate: Candidate) -> bool:
    """Whether an element of another name may be the same. A `Delete` that stands where `Save` stood is not."""
    other = candidate.description
    if not _may_be_called(wanted, other) or not _is_consistent(wanted, candidate):
        return False
    if wanted.role in FIELD_ROLES:
        is_renamed = words_in_common(wanted.name, other.name) < LEAST_LIKENESS
        return wanted.role == other.role and (not is_renamed or _is_in_its_place(wanted, other))
    if not wanted.name:
        return wanted.group == 1  # by an icon that is the same
    return words_in_common(wanted.name, other.name) >= LEAST_LIKENESS and not _is_another(wanted, other)


def _is_in_its_place(wanted: ElementDescription, other: ElementDescription) -> bool:
    """Whether a field of another label is the one that is meant: none is missing, and neighbour or purpose agree."""
    if wanted.alike != other.alike:
        return False
    mine, theirs = wanted.attributes, other.attributes
    is_for_same = any(name in mine and mine[name] == theirs.get(name) for name in _PURPOSE)
    return is_for_same or bool(wanted.after and wanted.after.casefold() == other.after.casefold())


def _is_another(wanted: ElementDescription, other: ElementDescription) -> bool:
    """Whether words of a name are replaced, though there are more of its role, as `Open Ann` and `Open Bob` are."""
    mine, theirs = {*words_of_name(wanted.name)}, {*words_of_name(other.name)}
    is_replaced = bool(mine - theirs and theirs - mine)
    return is_replaced and (not wanted.alike == other.alike == 1 or names_another(wanted.name, other.name))


def _ranked(candidates: Sequence[Candidate], score: Callable[[Candidate], float]) -> list[tuple[float, Candidate]]:
    scored = [(round(score(each), 3), each) for each in candidates]
    return sorted(scored, key=lambda pair: -pair[0])


def score_of(wanted: ElementDescription, candidate: Candidate) -> float:
    """Return from 0 to 1 how much an element is like the one that is meant, by all that is known of it."""
    other, is_field = candidate.description, wanted.role in FIELD_ROLES
    facts: list[tuple[float, float]] = [(2.0, 1.0 if wanted.role == other.role else 0.4)]
    if wanted.name:
        facts.append((_NAME_OF_FIELD if is_field else _NAME, name_likeness(wanted, candidate)))
    # The text before a field is its label, which counts as its name already.
    facts += _around_facts(replace(wanted, before="") if is_field and wanted.before in wanted.name else wanted, other)
    shared = [name for name in _ATTRIBUTES if name in wanted.attributes]
    facts += [(1.0, float(wanted.attributes[name] == other.attributes.get(name))) for name in shared]
    if wanted.alike == 1:
        facts.append((2.0, float(other.alike == 1 and wanted.role == other.role)))
    facts.append((1.0, float(wanted.selector == other.selector)))
    return _mean(facts)


def name_likeness(wanted: ElementDescription, candidate: Candidate) -> float:
    """Return how alike two names are: by their letters or, where that is more, by their words."""
    return max(min(candidate.likeness, 1.0), words_in_common(wanted.name, candidate.description.name))


def _around(wanted: ElementDescription, candidate: Candidate) -> float:
    return around_likeness(wanted, candidate.description)


def around_likeness(wanted: ElementDescription, other: ElementDescription) -> float:
    """Return how alike what is around two elements is."""
    return _mean(_around_facts(wanted, other))


def _around_facts(wanted: ElementDescription, other: ElementDescription) -> list[tuple[float, float]]:
    known = [(weight, getattr(wanted, name), getattr(other, name)) for name, weight in _AROUND.items()]
    return [(weight, words_in_common(mine, theirs)) for weight, mine, theirs in known if mine]


def _mean(facts: Sequence[tuple[float, float]]) -> float:
    total = sum(weight for weight, _ in facts)
    return sum(weight * score for weight, score in facts) / total if total else 0.0


def words_in_common(one: str, other: str) -> float:
    """Return how many of their words two texts share, from 0 to 1 (the Dice coefficient)."""
    first, second = (Counter(re.findall(r"\w+", text.casefold())) for text in (one, other))
    if one.casefold() == other.casefold():
        return 1.0
    count = sum(first.values()) + sum(second.values())
    return 2 * sum((first & second).values()) / count if count else 0.0
