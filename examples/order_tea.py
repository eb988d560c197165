"""Order tea at the built-in demo site, and print what an agent reads."""

import asyncio

import rove
from rove.surfaces.cli.demo import tea_room


async def order(address: str) -> None:
    # The demo site is on this machine, which pages cannot reach unless it is allowed.
    async with rove.open(allow_host="127.0.0.1") as session:
        page = await session.navigate(address)
        print(page.changes.text)

        await session.fill('textbox "Your name"', "Bea")
        await session.select('combobox "Tea"', ("Sencha",))
        ordered = await session.click('button "Place order"')
        print("\nThe order changed:")
        print(ordered.changes.text)


def main() -> None:
    with tea_room() as address:
        asyncio.run(order(address))


if __name__ == "__main__":
    main()
