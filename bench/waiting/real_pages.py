"""Pages made of npm packages that people use: dashboards, maps, editors, players, animated sites, lists, a chat.

Their scripts are in `pages/`; `packages.txt` names the packages, which npm fetches when the bench runs.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.waiting.kinds import RESTLESS, TIMER, Kind
from tests.widgets.bundles import OPTIONS

from bench.packages import NotInstalled, install_listed
from bench.waiting.cases import Case
from bench.waiting.page_data import answers

_HERE = Path(__file__).parent
_SOURCES = _HERE / "pages"
_PACKAGES = _HERE / "packages.txt"
# Files of packages that their scripts ask for by themselves, by path.
_FILES = {"/maplibre-gl-worker.mjs": "maplibre-gl/dist/maplibre-gl-worker.mjs"}
# The words that name a text or a timer that goes on.
_GOING_ON = (*RESTLESS, *TIMER)
_CLOCK = r"\d\d:\d\d:\d\d"
_NUMBER = r"[\d,.:]+"


@dataclass(frozen=True)
class Act:
    """A press of a button, which the library or the page names so.

    `pending`: words by one of which an answer names what it did not wait for. `excused`: the texts that are not over
    then, as a pattern; all others must be told.
    """

    name: str
    button: str
    pending: tuple[str, ...] = ()
    excused: str = ""


@dataclass(frozen=True)
class RealPage:
    """A page: its script in `pages/`, what is pressed, and what an answer to loading it may name instead of telling."""

    name: str
    script: str
    acts: tuple[Act, ...] = ()
    pending: tuple[str, ...] = ()
    excused: str = ""


PAGES = (
    RealPage(
        "Chart.js dashboard",
        "sales_chartjs.js",
        (Act("other days", "Last 30 days", _GOING_ON, _CLOCK),),
        _GOING_ON,
        _CLOCK,
    ),
    RealPage(
        "ECharts dashboard",
        "load_echarts.js",
        (
            Act("figures counted up", "Refresh", RESTLESS, _NUMBER),
            Act("live figures", "Live", _GOING_ON, rf"Open connections: \d+|{_NUMBER}"),
        ),
        RESTLESS,
        _NUMBER,
    ),
    RealPage("ApexCharts dashboard", "visits_apexcharts.js", (Act("other range", "This year"),)),
    RealPage("Recharts dashboard", "shop_recharts.jsx", (Act("other region", "South"),)),
    RealPage("Leaflet map", "harbours_leaflet.js", (Act("flight to a popup", "Show Porto"), Act("zoom", "Zoom in"))),
    RealPage("OpenLayers map", "roads_ol.js", (Act("flight to a box", "Next road works"), Act("zoom", "+"))),
    RealPage("MapLibre map", "stations_maplibre.js", (Act("flight to a popup", "Fly to Porto"),)),
    RealPage(
        "CodeMirror editor",
        "settings_codemirror.js",
        (
            Act("text, then saved", "Add a setting"),
            Act("text, then checked", "Paste a broken line", TIMER, r"(Not s|S)aved|.*diagnostics|Expected.*"),
        ),
    ),
    RealPage("Ace editor", "query_ace.js", (Act("text", "Insert a sample"), Act("query", "Run"))),
    RealPage(
        "EasyMDE editor",
        "post_easymde.js",
        (Act("text, then kept", "Insert the menu", TIMER, "Kept at.*"), Act("preview", "Toggle preview")),
        TIMER,
        "Kept at.*",
    ),
    RealPage(
        "Video.js player", "radio_videojs.js", (Act("play", "Play", _GOING_ON, _NUMBER),), ("/sound.wav",), _NUMBER
    ),
    RealPage(
        "Plyr player", "course_plyr.js", (Act("play to the end", "Play", RESTLESS, _NUMBER),), ("/short.wav",), _NUMBER
    ),
    RealPage("Howler player", "songs_howler.js", (Act("play", "Play the first", _GOING_ON, _NUMBER),)),
    RealPage("Swiper slides", "tour_swiper.js", (Act("next", "Next slide", _GOING_ON),), _GOING_ON),
    RealPage("Splide slides", "offers_splide.js", (Act("next", "Next slide", _GOING_ON),), _GOING_ON),
    RealPage(
        "GSAP site",
        "launch_gsap.js",
        (Act("timeline, then a text", "Order"), Act("text, typed", "How it works", RESTLESS)),
    ),
    RealPage(
        "Anime.js site",
        "score_animejs.js",
        (Act("count, then a text", "Next round", RESTLESS, r"\d+"),),
        RESTLESS,
        r"\d+",
    ),
    RealPage("Lottie site", "parcel_lottie.js", (Act("drawing, then a text", "Send it"),)),
    RealPage(
        "AOS and Typed.js site",
        "story_aos.js",
        (Act("scroll to a part", "Our story", _GOING_ON, r"[a-z]+"),),
        _GOING_ON,
        r"[a-z]+",
    ),
    RealPage(
        "TanStack virtual list",
        "guests_virtual.jsx",
        (Act("jump", "Go to guest 5000"), Act("glide", "Glide to guest 40")),
    ),
    RealPage("Clusterize list", "stock_clusterize.js", (Act("search", "Only tea"),)),
    RealPage("Tabulator grid", "orders_tabulator.js", (Act("next page", "Next Page"),)),
    RealPage("Jspreadsheet sheet", "budget_jspreadsheet.js", (Act("value", "Enter the rent"), Act("row", "Add a row"))),
    RealPage(
        "Motion board",
        "board_motion.jsx",
        (Act("card moves", "Move the first card"), Act("cards go", "Clear what is done")),
    ),
    RealPage("NProgress site", "news_nprogress.js", (Act("other page", "Open World"),)),
    RealPage("React feed of events", "feed_events.jsx", (Act("follow", "Follow", ("/events",)),)),
    RealPage("React chat over a socket", "chat_websocket.jsx", (Act("ask", "Ask for a table"),)),
    RealPage("Three.js scene", "room_three.js", (Act("camera, then a text", "Go to the window"),)),
)


def cases(part: str) -> list[Case]:
    """Return the pages as they load, and each act on them, where the name contains a part."""
    found: list[Case] = []
    for page in PAGES:
        stem = f"/real/{Path(page.script).stem}"
        loads = Kind(page.name, "", ("load",), pending=page.pending)
        found.append(Case(f"{stem}/load", loads, "load", excused=page.excused))
        for number, act in enumerate(page.acts):
            kind = Kind(f"{page.name}: {act.name}", "", ("click",), pending=act.pending)
            found.append(Case(f"{stem}/{number}", kind, "click", act.button, act.excused))
    return [case for case in found if part in case.kind.name]


def contents(chosen: list[Case], chat: str, *, fetch: bool = True) -> dict[str, tuple[str | bytes, str]]:
    """Return what is served for these cases, by path: documents, bundles, and what their scripts ask for.

    `chat`: the address of the chat. Raises NotInstalled if npm or esbuild fails.
    """
    installed = install_listed(_PACKAGES, fetch=fetch)
    served = answers()
    for path, file in _FILES.items():
        served[path] = ((installed / "node_modules" / file).read_bytes(), "text/javascript")
    for stem in {case.path.rpartition("/")[0] for case in chosen}:
        name = stem.removeprefix("/real/")
        script = _bundle(next(page.script for page in PAGES if Path(page.script).stem == name), installed)
        style = script.with_suffix(".css")
        served[f"{stem}/page.js"] = (script.read_bytes(), "text/javascript")
        served[f"{stem}/page.css"] = (style.read_bytes() if style.exists() else b"", "text/css")
        for case in chosen:
            if case.path.startswith(f"{stem}/"):
                served[case.path] = (_document(stem, case, chat), "text/html")
    return served


def _document(stem: str, case: Case, chat: str) -> str:
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{case.kind.name}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="{stem}/page.css">
<style>body {{ font: 16px sans-serif; margin: 20px }}</style>
</head>
<body data-chat="{chat}">
<div id="app"></div>
<script src="{stem}/page.js"></script>
</body>
</html>"""


def _bundle(name: str, installed: Path) -> Path:
    """Bundle a page's script with its packages, or return the bundle of an earlier run."""
    source = _SOURCES / name
    parts = (source.read_bytes(), _PACKAGES.read_bytes(), repr(OPTIONS).encode())
    version = hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]
    bundles = installed / "bundles"
    script = bundles / f"{source.stem}-{version}.js"
    if script.exists():
        return script
    bundles.mkdir(exist_ok=True)
    modules = installed / "node_modules"
    with tempfile.TemporaryDirectory(dir=bundles) as folder:
        made = Path(folder, script.name)
        command = [str(modules / ".bin" / "esbuild"), str(source), *OPTIONS, f"--outfile={made}"]
        # The packages are not in a folder above the script, where they would be found without NODE_PATH.
        environment = {**os.environ, "NODE_PATH": str(modules)}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            raise NotInstalled(f"esbuild failed on {name}: {done.stderr.strip()[-600:]}")
        # The script last: where it is there, so is its style.
        for each in sorted(Path(folder).iterdir()):
            each.replace(script.with_suffix(each.suffix))
    return script
