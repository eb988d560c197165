"""What the server of the real pages answers: figures, places, rows, a picture of a map, sounds, a chat."""

from __future__ import annotations

import base64
import io
import json
import math
import struct
import threading
import wave
from collections.abc import Generator, Mapping
from contextlib import contextmanager

from websockets.sync.server import ServerConnection, serve

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = ("January", "February", "March", "April")
# A picture of one grey dot, which the map draws as large as a tile.
_TILE = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGO4BAAA7QDsfdlH3wAAAABJRU5ErkJggg==")
_GUESTS = ("Ann", "Ben", "Cem", "Dora", "Eve", "Finn", "Gus", "Hana")


def _figures(days: int) -> dict[str, object]:
    rows = [
        {
            "name": f"{_DAYS[each % 7]} {each // 7 + 1}",
            "orders": days + each * 7 % 23,
            "revenue": f"{300 + days + each * 37 % 211}.00",
        }
        for each in range(days)
    ]
    return {"orders": days * 41, "revenue": days * 1234, "days": rows}


def _sum(number: int) -> str:
    return f"{12 + number * 7 % 90}.50"


JSON: Mapping[str, object] = {
    "/figures.json": {"7": _figures(7), "30": _figures(30)},
    "/load.json": {
        "noon": {"hours": [3, 5, 8, 13, 21, 18, 30], "load": 42, "requests": 18240, "errors": 97},
        "evening": {"hours": [9, 12, 20, 31, 18, 40, 44], "load": 71, "requests": 25310, "errors": 120},
    },
    "/visits.json": {
        "week": {
            "names": [day[:3] for day in _DAYS],
            "values": [41, 45, 47, 52, 60, 75, 71],
            "share": [60, 30, 10],
            "total": "391 visits this week",
        },
        "year": {
            "names": list(_MONTHS),
            "values": [1710, 1650, 1800, 1930],
            "share": [40, 35, 25],
            "total": "7,090 visits this year",
        },
    },
    "/visitors.json": {"now": 31},
    "/regions.json": {
        name: {
            "title": f"The {name}",
            "summary": f"{total} kettles were sold in the {name} since the new year",
            "months": [{"month": month, "sold": total // 4 + 10 * each} for each, month in enumerate(_MONTHS)],
        }
        for name, total in (("north", 812), ("south", 536))
    },
    "/places.json": {
        "type": "FeatureCollection",
        "features": [
            {
                "type": "Feature",
                "properties": {"name": name, "berths": berths},
                "geometry": {"type": "Point", "coordinates": [east, north]},
            }
            for name, berths, east, north in (("Marseille", 640, 5.37, 43.3), ("Porto", 210, -8.6, 41.1))
        ],
    },
    "/menu.json": [{"dish": dish, "price": price} for dish, price in (("Cake", 6), ("Soup", 8), ("Stew", 14))],
    "/orders.json": [
        [{"id": page * 8 + row, "guest": guest, "sum": _sum(page * 8 + row)} for row, guest in enumerate(_GUESTS)]
        for page in range(5)
    ],
    "/articles.json": {
        "home": ["The harbour opens", "Bread is dearer"],
        "world": ["Snow in the south", "A bridge for Porto", "Ships without sails"],
    },
}


def answers() -> dict[str, tuple[str | bytes, str]]:
    """Return what is asked for, with its kind, by path."""
    return {
        **{path: (json.dumps(value), "application/json") for path, value in JSON.items()},
        "/tile.png": (_TILE, "image/png"),
        "/sound.wav": (sound(8), "audio/wav"),
        "/short.wav": (sound(1.2), "audio/wav"),
    }


def sound(seconds: float) -> bytes:
    """Return a low tone as a WAV file."""
    rate = 8000
    with io.BytesIO() as file:
        with wave.open(file, "wb") as out:
            out.setnchannels(1)
            out.setsampwidth(2)
            out.setframerate(rate)
            tone = (int(900 * math.sin(each * 2 * math.pi * 220 / rate)) for each in range(int(seconds * rate)))
            out.writeframes(b"".join(struct.pack("<h", each) for each in tone))
        return file.getvalue()


@contextmanager
def chatting() -> Generator[str]:
    """Serve a chat that greets and answers a while later, until the block ends; the value is its address."""
    is_over = threading.Event()

    def talk(connection: ServerConnection) -> None:
        if is_over.wait(0.2):
            return
        connection.send("Restaurant: good evening")
        for _ in connection:
            if is_over.wait(0.5):
                return
            connection.send("Restaurant: it is, until nine")

    with serve(talk, "127.0.0.1", 0) as server:
        thread = threading.Thread(target=server.serve_forever, name="chat", daemon=True)
        thread.start()
        try:
            yield f"ws://127.0.0.1:{server.socket.getsockname()[1]}"
        finally:
            is_over.set()
            server.shutdown()
            thread.join()
