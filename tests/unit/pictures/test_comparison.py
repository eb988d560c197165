"""Pictures compared pixel by pixel."""

from __future__ import annotations

import io
import json
import subprocess
from pathlib import Path

import pytest
from PIL import Image, ImageDraw, ImageFont

from rove.content.picture_comparison import NoPicture, compare, encode, open_picture

PACKAGES = Path(__file__).parents[3] / ".venv" / "widgets" / "node_modules"
NODE = Path(__file__).parents[3] / ".venv" / "bin" / "node"
SIZE = (300, 200)


def circle(left: float, colour: str = "navy") -> Image.Image:
    """A picture of a circle with smooth edges."""
    large = Image.new("RGB", (SIZE[0] * 4, SIZE[1] * 4), "white")
    ImageDraw.Draw(large).ellipse((left * 4, 80, left * 4 + 400, 480), fill=colour)
    return large.resize(SIZE, Image.Resampling.BOX)


def text(left: float, words: str) -> Image.Image:
    image = Image.new("RGB", SIZE, "white")
    font = ImageFont.load_default(15)
    for line in range(0, 190, 20):
        ImageDraw.Draw(image).text((left, line), f"{line} {words}", fill=(20, 30, 200), font=font)
    return image


def test_the_same_picture_does_not_differ() -> None:
    found = compare(circle(50), circle(50), 0.1)
    assert (found.different, found.regions, found.picture) == (0, (), b"")


def test_smooth_edges_that_are_drawn_otherwise_are_ignored_and_other_changes_are_not() -> None:
    assert compare(circle(50), circle(50.3), 0.1).different == 0
    assert compare(circle(50), circle(53), 0.1).different > 200
    assert compare(circle(50), circle(50, "black"), 0.1).different > 7000


def test_what_differs_is_told_as_boxes_and_shown_in_red() -> None:
    after = circle(50)
    ImageDraw.Draw(after).rectangle((200, 20, 219, 29), fill="green")
    ImageDraw.Draw(after).rectangle((270, 170, 299, 199), fill="green")
    found = compare(circle(50), after, 0.1)
    assert found.different == 20 * 10 + 30 * 30
    assert found.regions == ((270, 170, 30, 30), (200, 20, 20, 10))
    with Image.open(io.BytesIO(found.picture)) as picture:
        assert picture.getpixel((205, 25)) == (220, 20, 60)
        assert picture.getpixel((250, 100)) == (255, 255, 255)


def test_what_only_one_of_two_sizes_has_differs() -> None:
    found = compare(Image.new("RGB", (10, 10)), Image.new("RGB", (12, 8)), 0.1)
    assert (found.different, found.total) == (12 * 10 - 10 * 8, 12 * 10)


@pytest.mark.parametrize("data", [b"", b"\x89PNG\r\n\x1a\nbroken", b"<svg/>"])
def test_what_is_no_picture_is_refused(data: bytes) -> None:
    with pytest.raises(NoPicture):
        open_picture(data)


def test_a_picture_with_too_many_pixels_is_refused_before_it_is_unpacked() -> None:
    with pytest.raises(NoPicture):
        open_picture(encode(Image.new("1", (10_000, 8_500))))


@pytest.mark.slow
def test_the_number_of_pixels_is_that_of_pixelmatch(tmp_path: Path) -> None:
    if not (PACKAGES / "pixelmatch").is_dir():
        pytest.skip("run `make .venv/widgets/ready`, which installs pixelmatch")
    noise = [Image.effect_noise(SIZE, 80).convert("RGB") for _ in range(2)]
    turned = text(10, "fox").rotate(1, Image.Resampling.BICUBIC, fillcolor="white")
    pairs = [(circle(50), circle(51)), (text(10, "fox"), text(10.5, "fox")), (text(10, "fox"), text(11, "dog"))]
    pairs += [(text(10, "fox"), turned), (noise[0], noise[1])]
    for number, (one, other) in enumerate(pairs):
        one.save(tmp_path / f"{number}a.png")
        other.save(tmp_path / f"{number}b.png")
    script = f"""
      import fs from "fs"; import {{ PNG }} from "{PACKAGES}/pngjs/lib/png.js";
      import pixelmatch from "{PACKAGES}/pixelmatch/index.js";
      const read = (name) => PNG.sync.read(fs.readFileSync("{tmp_path}/" + name));
      const counts = [0.02, 0.1, 0.3].map((threshold) => [...Array({len(pairs)}).keys()].map((n) => {{
        const [a, b] = [read(n + "a.png"), read(n + "b.png")];
        return pixelmatch(a.data, b.data, null, a.width, a.height, {{ threshold }});
      }}));
      console.log(JSON.stringify(counts));"""
    counted = json.loads(subprocess.check_output([NODE, "--input-type=module", "-e", script]))
    assert counted == [[compare(*pair, threshold).different for pair in pairs] for threshold in (0.02, 0.1, 0.3)]
    assert min(map(sum, counted)) > 1000
