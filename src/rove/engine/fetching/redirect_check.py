"""Whether a call may read an address that another one redirects to: asked of the guard and of the policy anew."""

from __future__ import annotations

import contextlib
from collections.abc import Generator

from rove.engine.approval.permission import PermissionCheck
from rove.engine.run.address_check import refuse_unreachable
from rove.engine.run.session_view import SessionView, WebCall
from rove.errors import Denied, RoveError
from rove.guard.hosts.origins import origin_text
from rove.guard.hosts.urls import origin_of
from rove.guard.policy.policy import Place
from rove.page_text import NOWHERE, PageText


class RedirectCheck:
    """Checks the addresses of one call. Each origin is asked about once."""

    def __init__(self, session: SessionView, call: WebCall) -> None:
        self._session = session
        self._call = call
        # The address that the caller named has been decided on, and a person asked where the policy wants it.
        self._allowed = {origin_text(call.action.destination or "")}
        # The address that was allowed last: a server there names the next one.
        self._last: str | None = None

    async def __call__(self, url: str) -> None:
        """Raise Denied if the address may not be loaded or read."""
        with self._marked_as_quote():
            await self._check(url)
        self._last = url

    @contextlib.contextmanager
    def _marked_as_quote(self) -> Generator[None]:
        """Mark every error about an address that a server has named: what is said of it repeats its words."""
        try:
            yield
        except RoveError as error:
            if self._last is not None:
                error.parts = (PageText(error.message, origin_text(self._last) or NOWHERE),)
            raise

    async def _check(self, url: str) -> None:
        self._refuse_credentials(url)
        action = self._call.action.at(url)
        refuse_unreachable(self._session.network, action, self._call.entry, None)
        if origin_text(url) not in self._allowed:
            await self._ask_policy(url)
            self._allowed.add(origin_text(url))
        if not self._session.gate.may_read(Place(self._session.name, None, url)):
            self._call.entry.decision = "denied"
            raise Denied("The policy does not allow this page to be read.")
        self._call.entry.decision = "allowed"

    async def _ask_policy(self, url: str) -> None:
        check = PermissionCheck(self._session.gate, self._call.action.at(url), self._call.entry, self._call.channel, [])
        if await check.check((Place(self._session.name),)) is not None:
            origin = origin_of(url)
            host = origin.host if origin else url[:200]
            raise Denied(
                f"The address redirects to {host}, and the policy asks a person before that is loaded.",
                hint="Call again with the address that it redirects to: a person is asked then.",
            )

    def _refuse_credentials(self, url: str) -> None:
        from ada_url import URL

        try:
            parsed = URL(url)
        except ValueError:
            raise Denied(f"It redirects to an invalid address: {url[:200]}") from None
        if parsed.username or parsed.password:
            raise Denied("It redirects to an address with a user name or a password in it.")
