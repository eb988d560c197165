"""What a session overrides, applied to the CDP session of each of its pages, frames and workers."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rove.browser.emulation.emulation import Emulation, Size
from rove.browser.emulation.overrides import Overrides
from rove.chromium.emulation.commands import NOTHING, Command, TargetKind, changes, metrics
from rove.chromium.protocol.connection import CdpError, CdpSession
from rove.errors import InvalidArguments
from rove.tasks import BackgroundTasks
from rove.validation.record import dataclass

if TYPE_CHECKING:
    from rove.chromium.emulation.identity import Identity
    from rove.chromium.interception.interceptor import Interceptor, RequestLog

# These belong to a process. Where pages share one, the first that sets them wins, and ends them when it is closed.
_OF_PROCESS = ("Emulation.setLocaleOverride", "Emulation.setTimezoneOverride")


@dataclass(frozen=True)
class Target:
    """A CDP session that is emulated. `size`: that of a page whose viewport nothing else sets."""

    kind: TargetKind
    size: Size | None = None


class SessionOverrides:
    """Applies one `Overrides` to the CDP sessions of a context, also to those that are added later."""

    def __init__(self, interceptor: Interceptor, tasks: BackgroundTasks) -> None:
        self.values = Overrides()
        self._interceptor = interceptor
        self._tasks = tasks
        self._targets: dict[CdpSession, Target] = {}
        # The product of the browser, which user agents of devices name: `HeadlessChrome/156.0.1.2`.
        self._product = ""
        # What pages are told that the browser is, where nothing else is emulated.
        self.identity: Identity | None = None

    def add(
        self, cdp: CdpSession, kind: TargetKind, log: RequestLog | None = None, size: Size | None = None
    ) -> list[Coroutine[Any, Any, object]]:
        """Follow a CDP session; return the commands that set it up, to be sent before its first script runs."""
        if cdp not in self._targets:
            cdp.on("closed", lambda _: self._remove(cdp))
        self._targets[cdp] = target = Target(kind, size)
        commands = list(self._changes(kind, NOTHING))
        if (viewport := self._size_of(target)) is not None:
            commands.append(metrics(self.values.emulation, viewport))
        return [*(_tolerate(cdp, command) for command in commands), *self._interceptor.add(cdp, log)]

    async def restore(self, root: CdpSession, values: Overrides) -> None:
        """Set what a lost context had overridden, before the first page is opened."""
        await self._learn_product(root, values.emulation)
        self.values = values
        await self._interceptor.apply(values.rules, values.credentials)

    async def apply(self, root: CdpSession, values: Overrides) -> None:
        """Override this from now on, in all targets. Raises InvalidArguments if the browser refuses a value."""
        await self._learn_product(root, values.emulation)
        if _screen(self.values.emulation) != _screen(values.emulation):
            values = replace(values, sizes={})  # every page gets the size that is emulated
        before, self.values = self.values, values
        try:
            await asyncio.gather(*(self._change(cdp, before.emulation) for cdp in list(self._targets)))
        except CdpError as error:
            self.values = before
            await asyncio.gather(*(self._change(cdp, values.emulation, True) for cdp in list(self._targets)))
            raise InvalidArguments(f"The browser refuses this: {error}.") from error
        await self._interceptor.apply(values.rules, values.credentials)

    async def resize(self, cdp: CdpSession, tab: str, size: Size) -> None:
        """Set the viewport of the page in a tab, which stays as dense and as mobile as it is."""
        await cdp.send(*metrics(self.values.emulation, size))
        self.values = replace(self.values, sizes={**self.values.sizes, tab: size})

    def note_window(self, tab: str, size: Size) -> bool:
        """Note the size of a page that its window is to give it; False if a size or a density is emulated."""
        if _screen(self.values.emulation) != _screen(NOTHING):
            return False
        self.values = replace(self.values, sizes={**self.values.sizes, tab: size})
        return True

    async def _learn_product(self, root: CdpSession, emulation: Emulation) -> None:
        if emulation.device is not None and not self._product:
            self._product = (await root.send("Browser.getVersion"))["product"]

    async def _change(self, cdp: CdpSession, before: Emulation, tolerates: bool = False) -> None:
        target, after = self._targets[cdp], self.values.emulation
        for command in self._changes(target.kind, before):
            must_succeed = target.kind == "page" and (command[0] not in _OF_PROCESS or self._is_first(cdp))
            await (_send(cdp, command) if must_succeed and not tolerates else _tolerate(cdp, command))
        size = self._size_of(target)
        if size is not None and _screen(before) != _screen(after):
            await _send(cdp, metrics(after, size))

    def _changes(self, kind: TargetKind, before: Emulation) -> Iterable[Command]:
        """Return the commands that lead from an emulation to the one that holds now."""
        found = changes(kind, before, self.values.emulation, self._product)
        return found if self.identity is None else self.identity.completed(found, is_new=before is NOTHING)

    def _is_first(self, cdp: CdpSession) -> bool:
        return cdp is next((each for each, target in self._targets.items() if target.kind == "page"), None)

    def _size_of(self, target: Target) -> Size | None:
        if target.kind != "page":
            return None
        return self.values.emulation.size or target.size

    def _remove(self, cdp: CdpSession) -> None:
        self._targets.pop(cdp, None)
        self._interceptor.remove(cdp)
        emulation = self.values.emulation
        if emulation.locale or emulation.time_zone:
            self._tasks.start(self._renew_of_process())

    async def _renew_of_process(self) -> None:
        """Set what belongs to a process again, as the CDP session that had set it may be gone."""
        for cdp, target in list(self._targets.items()):
            for command in self._changes(target.kind, NOTHING):
                if command[0] in _OF_PROCESS:
                    await _tolerate(cdp, command)


def _screen(emulation: Emulation) -> tuple[Any, ...]:
    return emulation.size, emulation.density, emulation.is_mobile


async def _send(cdp: CdpSession, command: Command) -> None:
    try:
        await cdp.send(*command)
    except CdpError:
        if not cdp.is_closed:  # the page was closed meanwhile
            raise


async def _tolerate(cdp: CdpSession, command: Command) -> None:
    """Send a command that the browser may refuse: for this kind of target, or as the process has it already."""
    with contextlib.suppress(CdpError):
        await cdp.send(*command)
