"""The built-in script: what it says and does, given a message and what came of its calls so far.

It knows the built-in demo site, and a few words. It is no model, and says so.
"""

from __future__ import annotations

import re
from typing import Any

from rove.records import dataclass

Action = dict[str, Any]
NAME = "built-in script"
TEAS = ("Darjeeling", "Sencha", "Lapsang souchong")
GUEST = "Bea"
_URL = re.compile(r"https?://[^\s<>\"'`]+", re.IGNORECASE)
_SELECTOR = re.compile(r"`([^`]+)`")
_FOR = re.compile(r"\bfor ([A-Z][a-z]+)\b")
_THANKS = re.compile(r"Thank you, [^\n\"]{1,80}")
_GREETING = re.compile(r"\s*(hi|hello|hey|good \w+|help|what can you do)\b", re.IGNORECASE)
_NEEDS = "`rove serve --serve-model anthropic:claude-sonnet-5-5`, with ANTHROPIC_API_KEY set"
ABOUT = f"I am a built-in script that knows little else; for a real model, start {_NEEDS}."
ORDER_NEXT = f"Try next: “Order a Darjeeling for Ann”. {ABOUT}"
NEXT = f"Try next: “Which teas are there?”, or “Go to https://example.com and take a screenshot”. {ABOUT}"
GREETING = (
    "Hello! I am a built-in script, not a model: I show how a chat with an agent works here, with a real browser and a "
    "tea room that runs on this machine. Ask me to “order a Sencha for Ann”. You will be asked to approve what I do, "
    f"see each step and its picture, and be handed the page for a moment. For a real model, start {_NEEDS}."
)
NO_SITE = (
    "The demo site does not run, so I have no tea room to show. Name an address, as in “Go to https://example.com and "
    "take a screenshot”."
)
HANDOFF = "Tick “Wrap it as a gift” if you like, then hand back."
# In the result of a call whose hand-over no person took.
NOT_TAKEN = "handoff: failed"


@dataclass(frozen=True)
class Done:
    """What came of a call."""

    is_ok: bool
    text: str


@dataclass(frozen=True)
class Scene:
    """What the script goes by. `verbs`: the actions that there are."""

    message: str
    done: tuple[Done, ...]
    site: str | None
    verbs: frozenset[str] = frozenset()

    def says(self, *words: str) -> bool:
        return any(re.search(rf"\b{word}", self.message, re.IGNORECASE) for word in words)


@dataclass(frozen=True)
class Move:
    """What the script says next, and the actions that it runs then; the run is over if there are none."""

    text: str
    actions: tuple[Action, ...] = ()


def next_move(scene: Scene) -> Move:
    """Return what comes next."""
    if found := _URL.search(scene.message):
        return _visit(scene, found[0].rstrip(".,;:!?)"))
    if _GREETING.match(scene.message):
        return Move(GREETING)
    if scene.site is None:
        return Move(NO_SITE)
    if scene.says("which teas", "what teas", "menu", "our teas"):
        return _list_teas(scene, scene.site)
    return _order(scene, scene.site)


def _visit(scene: Scene, url: str) -> Move:
    """Go to an address that the person named; look for what else they asked for in a few words."""
    if not scene.done:
        return Move(f"I go to {url}, if you let me.", tuple(_asked_for(scene, url)))
    return _ended(scene, f"Done: I was at {url}. What I saw is above. {NEXT}")


def _asked_for(scene: Scene, url: str) -> list[Action]:
    actions: list[Action] = [{"type": "navigate", "url": url}]
    if scene.says("password"):
        return [*actions, {"type": "type", "selector": "input[type=password]", "text": "not a real one"}]
    if scene.says("screenshot", "picture") or not scene.says("extract", "text", "read"):
        actions.append({"type": "screenshot"})
    if scene.says("extract", "text", "read"):
        named = _SELECTOR.search(scene.message)
        actions.append({"type": "extract", "selector": named[1]} if named else {"type": "extract"})
    return actions


def _list_teas(scene: Scene, site: str) -> Move:
    if not scene.done:
        actions = ({"type": "navigate", "url": f"{site}/teas"}, {"type": "extract", "selector": "ul"})
        return Move("I look at the list of teas.", actions)
    served = [tea for tea in TEAS if tea in scene.done[0].text]
    return _ended(scene, f"They serve {', '.join(served)}. {ORDER_NEXT}")


def _order(scene: Scene, site: str) -> Move:
    """Order tea: look at the page, fill in the form, hand over, place the order."""
    if not scene.done:
        return _look(site)
    last = scene.done[-1]
    if not last.is_ok and NOT_TAKEN not in last.text:
        return _ended(scene, "")
    if len(scene.done) == 1:
        return _fill_in(scene)
    if len(scene.done) == 2 and "handoff" in scene.verbs:
        return _hand_over_and_place()
    return _place() if len(scene.done) == 2 or not last.is_ok else _thanks(last)


def _look(site: str) -> Move:
    text = (
        "Gladly. I open the tea room and take a picture of it. First, you are asked: nothing happens in the browser "
        "before you approve it."
    )
    return Move(text, ({"type": "navigate", "url": site}, {"type": "screenshot"}))


def _fill_in(scene: Scene) -> Move:
    tea = next((tea for tea in TEAS if scene.says(tea)), "Sencha")
    named = _FOR.search(scene.message)
    guest = named[1] if named else GUEST
    actions = (
        {"type": "type", "selector": "[name=name]", "text": guest},
        {"type": "select", "target": "[name=tea]", "values": [tea]},
    )
    return Move(f"This is the tea room. I fill in the order: {tea}, for {guest}.", actions)


PLACING: tuple[Action, ...] = (
    {"type": "click", "selector": 'button "Place order"'},
    {"type": "extract", "selector": "[role=status]"},
    {"type": "screenshot"},
)


def _hand_over_and_place() -> Move:
    text = "Before I place the order, I hand the page to you: tick the gift box if you like, then hand back."
    return Move(text, ({"type": "handoff", "reason": HANDOFF}, *PLACING))


def _place() -> Move:
    return Move("Now I place the order.", PLACING)


def _thanks(last: Done) -> Move:
    said = _THANKS.search(last.text)
    page = f"the page says “{said[0].strip()}”" if said else "the page is in the picture"
    return Move(f"It is done: {page} {NEXT}")


def _ended(scene: Scene, text: str) -> Move:
    """Return the last words, or what went wrong and that the script stops there."""
    last = scene.done[-1]
    if last.is_ok:
        return Move(text)
    lines = [line for line in last.text.splitlines() if not line.startswith("sessionId: ")]  # it tells a person nothing
    reason = " ".join(" ".join(lines).split())
    shown = reason if len(reason) <= 300 else reason[:299] + "…"
    return Move(f"That did not happen, and I stop here. I was told: {shown}")
