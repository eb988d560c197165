"""Two sessions at once in one browser, each with its own cookies and storage."""

import asyncio

import rove
from rove.surfaces.cli.demo import tea_room


async def order(session: rove.Session, address: str, tea: str) -> None:
    await session.navigate(address)
    await session.evaluate(f"localStorage.setItem('favourite', '{tea}')")
    await session.fill('textbox "Your name"', session.name)
    await session.select('combobox "Tea"', (tea,))
    await session.click('button "Place order"')


async def order_both(address: str) -> None:
    async with rove.open(allow_host="127.0.0.1") as session:
        bea, carl = await session.another("bea"), await session.another("carl")
        await asyncio.gather(order(bea, address, "Sencha"), order(carl, address, "Lapsang souchong"))

        for customer in (bea, carl):
            thanks = await customer.extract('[role="status"]')
            favourite = await customer.evaluate("localStorage.getItem('favourite')")
            print(f"{customer.name} reads: {thanks.result}")
            print(f"{customer.name} remembers: {favourite.result}")

        status = await session.status()
        print(f"\nOpen now:\n{status.result}")


def main() -> None:
    with tea_room() as address:
        asyncio.run(order_both(address))


if __name__ == "__main__":
    main()
