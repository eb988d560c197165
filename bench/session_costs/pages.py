"""The measured pages; each has a button that shows how often it was pressed."""

from __future__ import annotations

import io
import os
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

from PIL import Image
from tests.widgets.bundles import INSTALLED, OPTIONS

from bench import pages
from bench.session_costs.kinds import Kind

IMAGES = 40
IMAGE_SIZE = (1200, 800)
BUTTON = (
    '<p><button onclick="presses += 1; count.textContent = presses">Press me</button> <output id="count">0</output></p>'
)
SCRIPT = "var presses = 0;"
# A login as sites keep it, so that there is something to restore.
LOGIN = """document.cookie = "login=0123456789abcdef0123456789abcdef; max-age=86400; path=/";
localStorage.setItem("cart", JSON.stringify([...Array(200).keys()]));"""


def resources(kinds: Iterable[Kind]) -> dict[str, tuple[str, bytes]]:
    """Return the type and the body of all that the pages need, by path."""
    made: dict[str, tuple[str, bytes]] = {}
    for kind in kinds:
        made |= _BUILDERS[kind.key]()
    return made


def _html(path: str, text: str) -> dict[str, tuple[str, bytes]]:
    return {path: ("text/html; charset=utf-8", text.encode())}


def _with_button(text: str) -> str:
    return text.replace("<body>", f"<body>{BUTTON}<script>{SCRIPT}{LOGIN}</script>", 1)


def _blank() -> dict[str, tuple[str, bytes]]:
    return _html("/blank", pages.document("Blank", BUTTON, script=SCRIPT))


def _article() -> dict[str, tuple[str, bytes]]:
    return _html("/article", _with_button(pages.article()))


def _table() -> dict[str, tuple[str, bytes]]:
    return _html("/table", _with_button(pages.table()))


def _form() -> dict[str, tuple[str, bytes]]:
    head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>Passengers</title>'
    body = '<body><div id="app"></div><script src="/form.js"></script></body></html>'
    return {**_html("/form", head + body), "/form.js": ("text/javascript; charset=utf-8", _bundled("react_form.jsx"))}


def _bundled(name: str) -> bytes:
    """Return one of our scripts with the packages that it imports, which `make .venv/widgets/ready` has installed."""
    source = Path(__file__).with_name(name)
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        out = Path(folder) / "page.js"
        node = f"{INSTALLED.parent / 'bin'}{os.pathsep}{os.environ['PATH']}"
        environment = {**os.environ, "NODE_PATH": str(INSTALLED / "node_modules"), "PATH": node}
        esbuild = INSTALLED / "node_modules" / ".bin" / "esbuild"
        subprocess.run([str(esbuild), str(source), *OPTIONS, f"--outfile={out}"], env=environment, check=True)
        return out.read_bytes()


def _images() -> dict[str, tuple[str, bytes]]:
    tags = "".join(f'<img src="/photo/{number}.jpg" alt="Photo {number}" width="600">' for number in range(IMAGES))
    photos = {f"/photo/{number}.jpg": ("image/jpeg", _photo(number)) for number in range(IMAGES)}
    return {**_html("/images", _with_button(pages.document("Photos", f"<h1>Photos</h1>{tags}"))), **photos}


def _photo(number: int) -> bytes:
    """Return a picture with as much detail as a photo: noise over a gradient, another for each number."""
    noise = Image.effect_noise(IMAGE_SIZE, 60).convert("RGB")
    shade = Image.linear_gradient("L").resize(IMAGE_SIZE).rotate(number * 9).convert("RGB")
    written = io.BytesIO()
    Image.blend(noise, shade, 0.7).save(written, "JPEG", quality=85)
    return written.getvalue()


def _animation() -> dict[str, tuple[str, bytes]]:
    boxes = "".join(f'<i class="box" style="animation-delay:-{number * 0.1:.1f}s"></i>' for number in range(30))
    style = """.box{display:inline-block;width:40px;height:40px;background:#27c;animation:turn 2s infinite linear}
    @keyframes turn{to{transform:rotate(360deg) scale(0.5)}}"""
    script = """setInterval(() => { clock.textContent = new Date().toISOString(); }, 100);
    const prices = document.getElementsByClassName("price");
    setInterval(() => { for (const price of prices) price.textContent = Math.random(); }, 500);"""
    prices = "".join(f'<li class="price">{number}</li>' for number in range(50))
    body = f'<h1>Live</h1><p id="clock"></p>{boxes}<ul>{prices}</ul>'
    return _html("/animation", _with_button(pages.document("Live", body, style=style, script=script)))


def _canvas() -> dict[str, tuple[str, bytes]]:
    script = """const context = film.getContext("2d");
    const still = context.createImageData(640, 360);
    let frame = 0;
    const draw = () => {
      frame += 1;
      for (let index = 0; index < still.data.length; index += 4) {
        still.data[index] = (index + frame * 3) & 255;
        still.data[index + 1] = (index >> 8) & 255;
        still.data[index + 3] = 255;
      }
      context.putImageData(still, 0, 0);
      requestAnimationFrame(draw);
    };
    draw();"""
    body = '<h1>Film</h1><canvas id="film" width="640" height="360"></canvas>'
    return _html("/canvas", _with_button(pages.document("Film", body, script=script)))


_BUILDERS = {
    "blank": _blank,
    "article": _article,
    "table": _table,
    "form": _form,
    "images": _images,
    "animation": _animation,
    "canvas": _canvas,
}
