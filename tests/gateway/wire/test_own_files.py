"""Files, states and profiles belong to the token whose sessions made them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, cast

import pytest
from tests.gateway.clients import GatewayClient, RunningGateway, running_gateway

from rove.actions.fetch import WebFetch
from rove.engine.client_sessions import own_settings
from rove.errors import InvalidArguments, LimitReached, ProfileInUse, RoveError
from rove.owned_names import mark_of
from rove.recorded_steps import Recording
from rove.storage.state import LoginChoice
from rove.surfaces.gateway.tokens import Scope

OWNERS = ("ann", "bob", None)


@pytest.fixture
async def gateway() -> AsyncGenerator[RunningGateway]:
    async with running_gateway(logins__key="file", logins__shared=("open",)) as running:
        yield running


def _token(gateway: RunningGateway, *scopes: Scope) -> tuple[str, str]:
    """Make a token; return it, and the mark of what it owns."""
    text, token = gateway.gateway.tokens.create(scopes, 600)
    return text, mark_of(token.owner)


def _download(gateway: RunningGateway, mark: str, name: str) -> Path:
    folder = own_settings(gateway.gateway.settings, mark).workspace_folder / "downloads"
    folder.mkdir(parents=True)
    (folder / name).write_text(name)
    return folder / name


async def _listed(client: GatewayClient, session: str | None = None) -> list[str]:
    return [file["name"] for file in (await client.call("downloads.list", sessionKey=session))["files"]]


async def test_a_token_sees_only_downloads_of_its_own_sessions(gateway: RunningGateway) -> None:
    (ann, ann_mark), (_, bob_mark) = (_token(gateway, Scope.ACT) for _ in range(2))
    watcher, _ = _token(gateway, Scope.VIEW_ALL)
    for mark, name in ((ann_mark, "ann.txt"), (bob_mark, "bob.txt"), ("", "owner.txt")):
        _download(gateway, mark, name)
    async with gateway.client(ann) as client:
        assert await _listed(client) == ["ann.txt"]
        # The name of a session of another is one of its own.
        assert await _listed(client, f"x{bob_mark}") == ["ann.txt"]
        assert (await client.call("downloads.read", file="ann.txt"))["data"]
        never_used = await client.refused("downloads.read", file="bub.txt")
        for folder in ("", f"../tokens/{bob_mark[1:]}/downloads/", "../../../downloads/"):
            refused = await client.refused("downloads.read", file=f"{folder}bob.txt", sessionKey=f"x{bob_mark}")
            assert json.loads(json.dumps(refused).replace("bob.txt", "bub.txt")) == never_used
    for token in (None, watcher):
        async with gateway.client(token) as client:
            assert await _listed(client, f"x{ann_mark}") == ["ann.txt"]
            assert await _listed(client, f"x{bob_mark}") == ["bob.txt"]
    async with gateway.client() as client:
        assert await _listed(client) == ["owner.txt"]


async def test_sessions_of_a_token_write_into_a_folder_of_their_own(gateway: RunningGateway) -> None:
    sessions = gateway.gateway.sessions
    folders = {
        sessions.session(await sessions.open_session("shop", owner)).settings.workspace_folder
        for owner in ("ann", "bob", None)
    }
    assert len(folders) == 3
    assert sessions.owned_by("ann").settings.workspace_folder in folders


async def test_profiles_of_another_token_are_not_there(gateway: RunningGateway) -> None:
    logins = gateway.gateway.sessions.logins
    owners, anns = LoginChoice(profile="work"), LoginChoice(profile="work")
    held = [logins.open(owners, "s1", None), logins.open(anns, "s1", "ann"), logins.open(anns, "s1", "bob")]
    folders = {login.profile.folder for login in held if login.profile is not None}
    assert len(folders) == 3
    with pytest.raises(ProfileInUse, match="the session s1"):  # of its own
        logins.open(anns, "s2", "ann")
    with pytest.raises(InvalidArguments):
        logins.open(LoginChoice(profile=f"work{mark_of('bob')}"), "s3", "ann")
    held.append(logins.open(LoginChoice(profile="open"), "hers", "ann"))
    with pytest.raises(ProfileInUse) as shared:
        logins.open(LoginChoice(profile="open"), "his", "bob")
    assert "hers" not in shared.value.message
    for login in held:
        await asyncio.to_thread(login.release)


async def test_recordings_of_another_token_are_not_there() -> None:
    async with running_gateway() as gateway:
        sessions = gateway.gateway.sessions
        ann, bob, owner = [
            cast(Any, sessions.session(await sessions.open_session("s", each))).recorder for each in OWNERS
        ]
        await ann.write(Recording("login", session="by ann"))
        with pytest.raises(InvalidArguments) as missing:
            await bob.read("login")
        assert "There is none yet" in missing.value.hint
        await bob.write(Recording("login", session="by bob"))
        await owner.write(Recording("login", session="by the owner"))
        assert [(await each.read("login")).session for each in (ann, bob, owner)] == [
            "by ann",
            "by bob",
            "by the owner",
        ]


async def test_a_token_opens_no_more_sessions_and_pages_than_it_may() -> None:
    async with running_gateway(serve__token_sessions=1, serve__token_pages=1) as gateway:
        sessions = gateway.gateway.sessions
        await sessions.open_session("a", "ann")
        with pytest.raises(LimitReached, match="1 sessions of this token") as full:
            await sessions.open_session("b", "ann")
        assert full.value.retry_after
        for owner in ("bob", None):
            await sessions.open_session("a", owner)
        session = sessions.session(await sessions.open_session("a", "eve"))
        with pytest.raises(RoveError, match=r"example\.invalid"):
            await session.run(WebFetch(url="https://example.invalid/"))
        with pytest.raises(LimitReached, match="opened 1 pages in the last hour") as too_many:
            await session.run(WebFetch(url="https://example.invalid/"))
        assert too_many.value.retry_after


async def test_a_full_server_tells_a_token_nothing_of_the_sessions_of_others() -> None:
    async with running_gateway(limits__sessions=2, limits__queue_seconds=0) as gateway:
        sessions = gateway.gateway.sessions
        for owner in ("bob", None):
            await sessions.open_session("a", owner)
        told = []
        for owner in ("ann", "bob", None):
            with pytest.raises(LimitReached) as full:
                await sessions.open_session("b", owner)
            told.append((full.value.message, full.value.retry_after))
        assert told[0] == told[1] == ("The server has as many sessions and pages as it may have.", 5.0)
        assert "2 sessions are open" in told[2][0]


async def test_one_token_does_not_take_the_connections_of_all() -> None:
    async with running_gateway(serve__connections=4) as gateway, AsyncExitStack() as stack:
        (ann, _), (bob, _) = (_token(gateway, Scope.ACT) for _ in range(2))
        for token in (ann, ann, bob, bob):
            await stack.enter_async_context(gateway.client(token))
        for token in (ann, bob):
            async with gateway.raw_client() as client:
                await client.send({"type": "auth", "token": token})
                assert (await client.closed())[0] == 4409
        async with gateway.client() as owner:
            assert await owner.call("tokens.list")
