"""A policy that asks before each click and forbids scripts, and an approver that says yes once."""

import asyncio
from collections.abc import Awaitable

import rove
from rove.action import AnyAction, Effect
from rove.guard.policy import Decision
from rove.surfaces.cli.demo import tea_room


class AskBeforeClicks:
    """Decides on every action before it is performed."""

    def decide(self, action: AnyAction, place: rove.Place) -> Decision:
        if action.effect is Effect.SCRIPT:
            return rove.Deny("Scripts are not allowed here.")
        if action.verb == "click":
            return rove.Ask("May the agent click this?")
        # This policy replaces the default one, so ask that for everything else.
        return rove.RulePolicy().decide(action, place)


class OneCupOnly:
    """Stands in for a person; a real approver asks one, on a channel that the agent cannot write to."""

    def __init__(self) -> None:
        self.cups = 0

    async def answer(self, request: rove.ApprovalRequest) -> rove.ApprovalAnswer:
        self.cups += 1
        (button,) = request.elements
        print(f"  {request.question} {button.line} -> {'yes' if self.cups == 1 else 'no'}")
        return rove.ApprovalAnswer.ONCE if self.cups == 1 else rove.ApprovalAnswer.NO


async def order(address: str) -> None:
    async with rove.open(allow_host="127.0.0.1", policy=AskBeforeClicks(), approver=OneCupOnly()) as session:
        await session.navigate(address)
        await session.fill('textbox "Your name"', "Bea")

        print("The first cup:")
        ordered = await session.click('button "Place order"')
        print(f"  {ordered.result}")

        print("The second cup:")
        await print_refusal(session.click('button "Place order"'))

        print("A script:")
        await print_refusal(session.evaluate("document.forms[0].requestSubmit()"))

        orders = await session.extract("tbody tr", all=True)
        print(f"On the list in the end:\n{orders.result}")


async def print_refusal(call: Awaitable[object]) -> None:
    try:
        await call
    except rove.RoveError as error:
        print(f"  {error.code}: {error.message} {error.hint}")


def main() -> None:
    with tea_room() as address:
        asyncio.run(order(address))


if __name__ == "__main__":
    main()
