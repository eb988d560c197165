"""Two guests at once in one browser: each has a session, with cookies and storage that the other never sees."""

import asyncio

import rove
from rove.demo.site import tea_room


async def order(session: rove.Session, address: str, tea: str) -> None:
    await session.navigate(address)
    await session.evaluate(f"localStorage.setItem('favourite', '{tea}')")
    await session.fill('textbox "Your name"', session.name)
    await session.select('combobox "Tea"', (tea,))
    await session.click('button "Place order"')


async def visit(address: str) -> None:
    async with rove.open(allow_host="127.0.0.1") as host:
        bea, carl = await host.another("bea"), await host.another("carl")
        await asyncio.gather(order(bea, address, "Sencha"), order(carl, address, "Lapsang souchong"))

        for guest in (bea, carl):
            thanks = await guest.extract('[role="status"]')
            favourite = await guest.evaluate("localStorage.getItem('favourite')")
            print(f"{guest.name} reads: {thanks.result}")
            print(f"{guest.name} remembers: {favourite.result}")

        status = await host.status()
        print(f"\nOpen now:\n{status.result}")


def main() -> None:
    with tea_room() as address:
        asyncio.run(visit(address))


if __name__ == "__main__":
    main()
