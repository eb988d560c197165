"""What an action is: a small immutable value, declared once. Every surface is derived from the declarations."""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Generic,
    Literal,
    ParamSpec,
    Protocol,
    TypeVar,
    cast,
    dataclass_transform,
    get_args,
    get_origin,
)

from rove.advice import nearest
from rove.browser.sessions import SessionDirectory
from rove.errors import InvalidArguments
from rove.fields import UNKNOWN, InvalidFields, Validated, build, defaults_of, fields_of, plain, without_empty
from rove.fields import arg as arg
from rove.outcome import AnyOutcome, Result
from rove.records import dataclass
from rove.storage.state import LoginUse
from rove.target import Target as Target
from rove.target import Url as Url

if TYPE_CHECKING:
    from rove.browser.consequences import Cause
    from rove.browser.context import TabInfo
    from rove.browser.element import DocumentSecrets
    from rove.browser.shared.context import Context
    from rove.browser.shared.tab import Tab
    from rove.content.http.contents import WebDocument
    from rove.recorded_steps import RecordingDesk
    from rove.settings.tree import Settings

P = ParamSpec("P")
R = TypeVar("R", bound=Result)
# The group of actions that every agent needs. Other groups are shown to a model only if the settings name them.
CORE = "core"
# Whether the browser may be used: where HTTP does not do, not at all, or at once.
BrowserUse = Literal["auto", "never", "always"]


class Effect(enum.Enum):
    """What an action can do. Policies decide on this."""

    READ = "read"
    ACT = "act"
    NAVIGATE = "navigate"
    SCRIPT = "script"
    SEND_FILE = "send_file"
    SECRET = "secret"
    SPAWN = "spawn"
    HANDOFF = "handoff"


class Action(Validated, Generic[R]):
    """A validated, immutable request. `perform` is called by the engine and by nothing else."""

    verb: ClassVar[str]
    effect: ClassVar[Effect]
    result: ClassVar[type[Any]]
    observes: ClassVar[bool]
    group: ClassVar[str]
    # The name of its command, where that is not its own name with dashes.
    command: ClassVar[str | None] = None
    # What `describe` begins with, where that is not the verb.
    phrase: ClassVar[str | None] = None
    # Whether recordings have it as a step, and whether a replay finds its elements again on a page that has changed.
    is_recorded: ClassVar[bool]
    finds_again: ClassVar[bool] = True

    @property
    def destination(self) -> str | None:
        """The address that it asks the browser to load. The policy decides on it before the browser does."""
        return None

    @property
    def uses_focus(self) -> bool:
        """Whether it acts on the element that has the focus, in whichever frame that is."""
        return False

    @property
    def activates(self) -> Cause | None:
        """How it activates its target, or what has the focus: that may send a form or open a link."""
        return None

    @property
    def files(self) -> tuple[str, ...]:
        """The paths of the files of the workspace that it gives to the page."""
        return ()

    @property
    def files_read(self) -> tuple[str, ...]:
        """The paths of the files of the workspace that it may read, which need not exist."""
        return self.files

    @property
    def is_about_page(self) -> bool:
        """Whether it needs a page that could be loaded."""
        return True

    @property
    def needs_answers(self) -> bool:
        """Whether the page must answer for it. One that is busy can still be asked for what rove has recorded."""
        return True

    @property
    def secrets(self) -> tuple[str, ...]:
        """The names of the secrets that it types."""
        return ()

    @property
    def logins(self) -> tuple[LoginUse, ...]:
        """The saved states and profiles that it uses."""
        return ()

    @property
    def effects(self) -> tuple[Effect, ...]:
        """All that it can do: the effect of its class and, if it names a secret or a login, the use of a secret."""
        own = type(self).effect
        return (own, Effect.SECRET) if own is not Effect.SECRET and (self.secrets or self.logins) else (own,)

    @property
    def shows_page(self) -> bool:
        """Whether its outcome includes what changed on the page."""
        return type(self).observes

    @property
    def settles(self) -> bool:
        """Whether its outcome waits until the page is quiet."""
        return True

    @property
    def is_step(self) -> bool:
        """Whether a recording has it as a step, with these arguments."""
        return type(self).is_recorded

    @property
    def takes(self) -> float:
        """Seconds that it needs in addition to the time of every call, such as those of a wait."""
        return 0.0

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments that differ from their defaults, as JSON data."""
        given, defaults = vars(self), defaults_of(type(self))
        return {name: plain(given[name]) for name, default in defaults.items() if given[name] != default}

    @property
    def concealed(self) -> tuple[str, ...]:
        """The arguments whose values the journal does not keep: they may be logins."""
        return ()

    @property
    def recorded(self) -> dict[str, Any]:
        """The arguments as the journal keeps them; of texts that are concealed, only the lengths."""
        hidden = {
            name: f"({len(self.arguments[name])} characters)" for name in self.concealed if name in self.arguments
        }
        return {**self.arguments, **hidden}

    def describe(self) -> str:
        """One line for progress, approval and the journal: `Click e12`."""
        words = self.phrase or type(self).verb.replace("_", " ").capitalize()
        values = (_shorten(value) for value in self.recorded.values())
        return " ".join([words, *values])


class TabAction(Action[R]):
    """An action on one tab; it holds that tab's lock while it runs."""

    async def perform(self, tab: Tab) -> R:
        """Do it. The tab is locked, the action is allowed, and a deadline limits it."""
        raise NotImplementedError


class ContextAction(Action[R]):
    """An action on a session's browser context as a whole. It never waits for a tab's lock."""

    def concerns(self, context: Context) -> TabInfo | None:
        """Return the tab that it is about, if it is about one: the policy decides by that tab's page."""
        return None

    async def perform(self, context: Context) -> R:
        """Do it, within a deadline."""
        raise NotImplementedError


class FileAction(Action[R]):
    """An action on files of the workspace. It needs no browser, and does not start one."""

    async def perform(self, settings: Settings, secrets: DocumentSecrets) -> R:
        """Do it, within a deadline."""
        raise NotImplementedError


class SessionsAction(Action[R]):
    """An action on the set of sessions."""

    async def refuse_early(self, directory: SessionDirectory) -> None:
        """Raise, before a person is asked, if it would fail anyway."""

    async def perform(self, directory: SessionDirectory) -> R:
        """Do it, within a deadline."""
        raise NotImplementedError


class HandoffDesk(Protocol):
    """What an action that a person does may ask of the engine."""

    async def hand_off(
        self, tab: TabInfo, reason: str, timeout: float | None, report: Callable[[str], None]
    ) -> tuple[str | None, float]:
        """Wait until a person has driven the tab and handed it back; return who it was, and for how many seconds."""
        ...


class PersonAction(Action[R]):
    """An action that a person does in a tab, because the agent has asked for it."""

    async def perform(self, desk: HandoffDesk, tab: TabInfo, report: Callable[[str], None]) -> R:
        """Do it. The tab is not locked, and the time that it takes does not count."""
        raise NotImplementedError


class StepRunner(Protocol):
    """Runs the actions that another action is made of, so that each of them passes the gate."""

    async def ask_ahead(self, actions: Sequence[Action[Any]], /) -> None:
        """Ask a person once for all the steps that can be shown now."""

    async def run(self, action: Action[Any]) -> AnyOutcome:
        """Run one step."""
        ...

    def report(self, message: str, done: int, total: int, /) -> None:
        """Report progress to the caller."""

    @property
    def recordings(self) -> RecordingDesk: ...


class CompositeAction(Action[R]):
    """An action made of other actions."""

    @property
    def actions(self) -> Sequence[Action[Any]]:
        """The actions that it is made of."""
        raise NotImplementedError

    @property
    def files_read(self) -> tuple[str, ...]:
        return tuple(path for each in self.actions for path in each.files_read)

    @property
    def shares_time(self) -> bool:
        """Whether its actions have the time of one together, instead of each its own."""
        return False

    @property
    def tells_pages(self) -> bool:
        """Whether its outcome includes what its actions changed on pages."""
        return True

    async def perform(self, runner: StepRunner) -> R:
        """Run the actions with `runner`, and return what came of them."""
        raise NotImplementedError


AnyAction = Action[Any]
A = TypeVar("A", bound=AnyAction)
_registry: dict[str, type[AnyAction]] = {}


@dataclass_transform(frozen_default=True, field_specifiers=(arg,))
def action(
    effect: Effect, *, observes: bool | None = None, group: str = CORE, recorded: bool | None = None
) -> Callable[[type[A]], type[A]]:
    """Declare an action. Its name, schema, docs and every surface are derived from the class.

    `observes`: whether the outcome includes what changed on the page; by default for all effects but READ.
    `group`: the tools that it is shown with. `recorded`: whether recordings have it; by default, if it does something.
    """

    def declare(cls: type[A]) -> type[A]:
        if not (cls.__doc__ or "").strip():  # checked first, as `dataclass` adds one
            raise TypeError(f"{cls.__name__} needs a docstring: models read it")
        declared = dataclass(frozen=True)(cls)
        declared.verb = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()
        declared.effect = effect
        declared.result = _result_type(cls)
        declared.observes = effect is not Effect.READ if observes is None else observes
        declared.group = group
        acts = effect is not Effect.READ and not issubclass(cls, SessionsAction | CompositeAction)
        declared.is_recorded = acts if recorded is None else recorded
        if declared.verb in _registry:
            raise TypeError(f"two actions are called {declared.verb}")
        _registry[declared.verb] = declared
        return declared

    return declare


@cache
def registry() -> Mapping[str, type[AnyAction]]:
    """Return every declared action by name, in the order of `rove.actions`."""
    import_module("rove.actions")  # importing it declares them

    return _registry


def groups() -> list[str]:
    """Return the groups of actions other than the core."""
    return sorted({cls.group for cls in registry().values()} - {CORE})


def parse(name: str, arguments: Mapping[str, Any]) -> AnyAction:
    """Make an action from untrusted arguments. Raises InvalidArguments with the fields that are wrong."""
    cls = registry().get(name)
    if cls is None:
        raise InvalidArguments(
            f"There is no action `{name}`{_guess(name)}", hint=f"There are: {', '.join(registry())}."
        )
    try:
        action: AnyAction = build(cls, without_empty(cls, arguments))
    except InvalidFields as error:
        raise InvalidArguments("; ".join(_describe(cls, error)) + ".") from error
    return action


def make_action(cls: Callable[P, Action[R]], *args: P.args, **kwargs: P.kwargs) -> Action[R]:
    """Make an action from Python arguments, with the same errors as `parse`."""
    declared = cast("type[Action[R]]", cls)
    names = fields_of(declared)
    if len(args) > len(names):
        raise InvalidArguments(f"{declared.verb} takes {len(names)} arguments, and {len(args)} were given.")
    given = dict(zip(names, args, strict=False))
    if twice := sorted({*given} & {*kwargs}):
        raise InvalidArguments(f"`{twice[0]}` is given twice, by position and by name.")
    return cast("Action[R]", parse(declared.verb, {**given, **kwargs}))


def _guess(name: str) -> str:
    """Return a question with the action that is probably meant: a tool's name ends with that of its action."""
    ends = [verb for verb in registry() if name.endswith(f"_{verb}")]
    meant = max(ends, key=len) if ends else nearest(name, registry())
    return f": did you mean `{meant}`?" if meant else "."


def _result_type(cls: type[AnyAction]) -> type[Any]:
    """Return the result class that an action names in its base class, such as `TabAction[Clicked]`."""
    for base in getattr(cls, "__orig_bases__", ()):
        if isinstance(get_origin(base), type) and issubclass(get_origin(base), Action):
            (result,) = get_args(base)
            if isinstance(result, TypeVar):
                continue  # a bare TabAction inherits the bases of its own declaration
            if not issubclass(result, Result):
                raise TypeError(f"{result.__name__}, which {cls.__name__} results in, is no subclass of Result")
            return result  # type: ignore[no-any-return]
    raise TypeError(f"{cls.__name__} does not say what it results in: write TabAction[Clicked]")


def _describe(cls: type[AnyAction], error: InvalidFields) -> list[str]:
    """Return a sentence about each argument that is wrong."""
    known = ", ".join(fields_of(cls)) or "nothing"
    return [
        f"`{where}` is not an argument of {cls.verb}, which takes: {known}"
        if why == UNKNOWN and "." not in where
        else f"`{where}` {why}"
        if why in (UNKNOWN, "is missing")
        else f"`{where}`: {why}"
        for where, why in error.complaints
    ]


def _shorten(value: Any) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= 80 else text[:79] + "…"


__all__ = [
    "Action", "AnyAction", "CompositeAction", "ContextAction", "Effect", "FileAction", "HandoffDesk", "PersonAction",
    "SessionDirectory", "SessionsAction", "StepRunner", "TabAction", "Target", "Url", "action", "arg", "fields_of",
    "groups", "parse", "registry",
]  # fmt: skip


class WebAccess(Protocol):
    """Reads addresses with the cookies of one session, within what its guard and its policy allow."""

    @property
    def settings(self) -> Settings: ...
    def count_invisible(self, text: str, /) -> int:
        """Return how many characters of a text show nothing, which models are not told."""
        ...

    async def read(self, url: str, browser: BrowserUse, /) -> WebDocument:
        """Return what is at an address, after redirects. Raises RoveError."""
        ...


class FetchAction(Action[R]):
    """An action that reads addresses of the web. It starts a browser only if it needs one."""

    def at(self, url: str) -> FetchAction[R]:
        """Return the same action at another address, for the policy to decide on."""
        raise NotImplementedError

    async def perform(self, web: WebAccess) -> R:
        """Do it, within a deadline."""
        raise NotImplementedError
