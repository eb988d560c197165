"""Who drives a session: turns of the agent, the lease of a person, pause, step and stop."""

from __future__ import annotations

import asyncio

import pytest

from rove.actions.sessions import CloseSession
from rove.engine.people import Driver
from rove.errors import Denied, HeldByPerson, NotOpen


def driver(patience: float = 5, idle: float = 60) -> Driver:
    return Driver(patience, idle)


class Agent:
    """An agent's actions, each of which runs until `go` is set."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self.go = asyncio.Event()
        self.begun = 0
        self.progress: list[str] = []

    def act(self, has_begun: bool = False) -> asyncio.Task[str]:
        return asyncio.ensure_future(self._act(has_begun))

    async def _act(self, has_begun: bool) -> str:
        async with self._driver.turn(self.progress.append, has_begun):
            return await self._driver.until_taken(self._work())

    async def _work(self) -> str:
        self.begun += 1
        await self.go.wait()
        return "done"


async def turn_of_the_loop() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_an_agent_drives_until_a_person_takes_over() -> None:
    driving = driver()
    assert (driving.state.who, driving.state.name) == ("agent", None)
    lease = await driving.take("Ada")
    assert (driving.state.who, driving.state.name) == ("person", "Ada")
    driving.release(lease)
    assert driving.state.who == "agent"


async def test_an_action_waits_while_a_person_drives_and_then_runs() -> None:
    driving = driver()
    agent = Agent(driving)
    agent.go.set()
    lease = await driving.take("Ada")
    action = agent.act()
    await turn_of_the_loop()
    assert agent.begun == 0
    assert agent.progress == ["Waiting: Ada drives this session."]
    driving.release(lease)
    assert await action == "done"


async def test_an_action_that_waited_too_long_fails_and_may_be_tried_again() -> None:
    driving = driver(patience=0.01)
    await driving.take("Ada")
    with pytest.raises(HeldByPerson, match="Ada drives this session") as raised:
        await Agent(driving).act()
    assert (raised.value.code, raised.value.retryable) == ("held_by_person", True)


async def test_taking_over_waits_for_the_action_that_runs() -> None:
    driving = driver()
    agent = Agent(driving)
    action = agent.act()
    await turn_of_the_loop()
    taking = asyncio.ensure_future(driving.take("Ada"))
    await turn_of_the_loop()
    assert not taking.done()
    agent.go.set()
    assert await action == "done"
    assert (await taking).person == "Ada"


async def test_taking_over_ends_an_action_that_does_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rove.engine.people.END_SECONDS", 0.01)
    driving = driver()
    action = Agent(driving).act()
    await turn_of_the_loop()
    await driving.take("Ada")
    with pytest.raises(HeldByPerson, match="ended before it was done"):
        await action


async def test_the_lease_survives_a_reconnect_of_its_person_and_another_person_does_not_get_it() -> None:
    driving = driver()
    lease = await driving.take("Ada")
    assert await driving.take("Ada") == lease
    with pytest.raises(HeldByPerson, match="Ada drives"):
        await driving.take("Grace")


async def test_a_lease_without_acts_expires() -> None:
    driving = driver(idle=0.01)
    lease = await driving.take("Ada")
    async with asyncio.timeout(5):
        await driving.wait_for_release()
    with pytest.raises(Denied):
        driving.touch(lease)


async def test_an_old_lease_does_not_hand_back_for_another_person() -> None:
    driving = driver()
    old = await driving.take("Ada")
    driving.release(old)
    await driving.take("Grace")
    driving.release(old)
    assert driving.state.name == "Grace"


async def test_nothing_begins_while_paused_and_step_lets_exactly_one_action_run() -> None:
    driving = driver()
    agent = Agent(driving)
    agent.go.set()
    driving.pause()
    actions = [agent.act() for _ in range(3)]
    await turn_of_the_loop()
    assert agent.begun == 0
    driving.step()
    await turn_of_the_loop()
    assert agent.begun == 1
    assert driving.state.is_paused
    driving.resume()
    await asyncio.gather(*actions)
    assert agent.begun == 3


async def test_a_step_is_not_used_up_by_an_action_that_was_asked_about_meanwhile() -> None:
    driving = driver()
    agent = Agent(driving)
    agent.go.set()
    driving.pause()
    assert await agent.act(has_begun=True) == "done"
    driving.step()
    assert await agent.act() == "done"


async def test_pausing_does_not_end_the_action_that_runs() -> None:
    driving = driver()
    agent = Agent(driving)
    action = agent.act()
    await turn_of_the_loop()
    driving.pause()
    agent.go.set()
    assert await action == "done"


async def test_stop_ends_what_runs_and_holds_what_comes_next() -> None:
    driving = driver(patience=0.01)
    stopped = asyncio.ensure_future(driving.until_stopped(asyncio.Event().wait()))
    await turn_of_the_loop()
    driving.stop()
    with pytest.raises(HeldByPerson, match="stopped") as raised:
        await stopped
    assert not raised.value.retryable
    with pytest.raises(HeldByPerson, match="paused"):
        await Agent(driving).act()


async def test_every_change_is_reported_with_its_person() -> None:
    driving = driver()
    changes: list[tuple[str, str | None]] = []
    driving.on_changed = lambda event, person: changes.append((event, person))
    driving.release(await driving.take("Ada"))
    driving.pause("Grace")
    driving.step()
    driving.stop("Ada")
    driving.resume()
    assert changes == [
        ("taken", "Ada"),
        ("released", "Ada"),
        ("paused", "Grace"),
        ("stepped", None),
        ("stopped", "Ada"),
        ("resumed", None),
    ]


async def test_closing_the_session_ends_what_runs_in_it_but_not_what_closes_it() -> None:
    driving = driver()
    waiting = asyncio.ensure_future(driving.until_stopped(asyncio.Event().wait()))
    closing = asyncio.ensure_future(driving.until_stopped(asyncio.sleep(0.01, "closed"), CloseSession()))
    await turn_of_the_loop()
    driving.close()
    with pytest.raises(NotOpen, match="The session was closed"):
        await waiting
    assert await closing == "closed"
