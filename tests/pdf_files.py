"""Small PDF files for tests, written by hand so that each says exactly what it holds."""

from __future__ import annotations

import io
import zlib
from collections.abc import Sequence

FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"
CATALOG, PAGES, FONT_NUMBER = 1, 2, 3


def words(x: float, y: float, text: str, size: float = 12, before: str = "") -> str:
    """Return the content that draws a text, from the bottom left; `before` sets colours and modes."""
    escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    return f"q {before} BT /F {size} Tf {x} {y} Td ({escaped}) Tj ET Q"


def pdf(
    *pages: str,
    title: str = "",
    outline: Sequence[tuple[str, int]] = (),
    page: str = "",
    extra: bytes = b"",
    font: bytes = FONT,
) -> bytes:
    """Return a file with a page for each content. `page` is added to each page, `extra` is object 100."""
    objects: dict[int, bytes] = {FONT_NUMBER: font}
    numbers = [10 + 2 * index for index in range(len(pages))]
    for number, content in zip(numbers, pages, strict=True):
        resources = (
            "/Resources<</Font<</F 3 0 R>>/XObject<</X 100 0 R>>>>" if extra else "/Resources<</Font<</F 3 0 R>>>>"
        )
        box = "" if "/MediaBox" in page else "/MediaBox[0 0 600 800]"
        objects[number] = f"<</Type/Page/Parent 2 0 R{box}/Contents {number + 1} 0 R{resources}{page}>>".encode()
        objects[number + 1] = stream(content.encode("cp1252"))
    kids = " ".join(f"{number} 0 R" for number in numbers)
    objects[PAGES] = f"<</Type/Pages/Count {len(pages)}/Kids[{kids}]>>".encode()
    objects[CATALOG] = b"<</Type/Catalog/Pages 2 0 R" + (b"/Outlines 5 0 R>>" if outline else b">>")
    if outline:
        objects |= _outline(outline, numbers)
    objects[4] = f"<</Title({title})/Author(Bea)/CreationDate(D:20260131120000Z)>>".encode()
    if extra:
        objects[100] = extra
    return written(objects)


def _outline(outline: Sequence[tuple[str, int]], pages: list[int]) -> dict[int, bytes]:
    first, last = 200, 200 + len(outline) - 1
    made = {5: f"<</Type/Outlines/First {first} 0 R/Last {last} 0 R/Count {len(outline)}>>".encode()}
    for number, (title, page) in enumerate(outline, first):
        after = f"/Next {number + 1} 0 R" if number < last else ""
        made[number] = f"<</Title({title})/Parent 5 0 R{after}/Dest[{pages[page - 1]} 0 R/Fit]>>".encode()
    return made


def stream(data: bytes, facts: bytes = b"") -> bytes:
    packed = zlib.compress(data)
    return b"<</Filter/FlateDecode/Length %d%s>>stream\n" % (len(packed), facts) + packed + b"\nendstream"


def written(objects: dict[int, bytes]) -> bytes:
    """Return the file of these objects, by their numbers."""
    data, places = b"%PDF-1.7\n", dict[int, int]()
    for number in sorted(objects):
        places[number] = len(data)
        data += b"%d 0 obj\n" % number + objects[number] + b"\nendobj\n"
    table = b"".join(b"%d 1\n%010d 00000 n \n" % (number, place) for number, place in places.items())
    end = b"trailer<</Size %d/Root 1 0 R/Info 4 0 R>>\nstartxref\n%d\n%%%%EOF" % (max(objects) + 1, len(data))
    return data + b"xref\n0 1\n0000000000 65535 f \n" + table + end


def locked(data: bytes, password: str) -> bytes:
    """Return the same file, which needs a password."""
    import pikepdf

    output = io.BytesIO()
    with pikepdf.open(io.BytesIO(data)) as opened:
        opened.save(output, encryption=pikepdf.Encryption(user=password, owner="the owner's own"))
    return output.getvalue()


def grey_picture() -> bytes:
    """Return an image object with light and dark stripes, as of a scanned page."""
    row = b"\x20\xe0" * 50
    facts = b"/Type/XObject/Subtype/Image/Width 100/Height 100/BitsPerComponent 8/ColorSpace/DeviceGray"
    return stream(row * 100, facts)


def bomb(depth: int = 12) -> bytes:
    """Return a small file whose page draws 10 ** depth rectangles: each form draws the next one ten times."""
    objects = {3: FONT, 1: b"<</Type/Catalog/Pages 2 0 R>>", 2: b"<</Type/Pages/Kids[10 0 R]/Count 1>>", 4: b"<<>>"}
    objects[10] = (
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 11 0 R/Resources<</XObject<</X 20 0 R>>>>>>"
    )
    objects[11] = stream(b"/X Do " * 10)
    for level in range(depth):
        inner = b"/Resources<</XObject<</X %d 0 R>>>>" % (21 + level)
        facts = b"/Type/XObject/Subtype/Form/BBox[0 0 600 800]" + inner
        objects[20 + level] = stream(b"/X Do " * 10 if level < depth - 1 else b"0 0 9 9 re f", facts)
    return written(objects)


def form() -> bytes:
    """Return a file with a form: a text, a checkbox that is ticked, and a password."""
    objects = {3: FONT, 4: b"<<>>", 2: b"<</Type/Pages/Kids[10 0 R]/Count 1>>"}
    objects[1] = b"<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[30 0 R 31 0 R 32 0 R]>>>>"
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 11 0 R/Resources<</Font<</F 3 0 R>>>>"
    objects[10] = page + b"/Annots[30 0 R 31 0 R 32 0 R]>>"
    objects[11] = stream(words(50, 700, "Name:").encode())
    objects[12] = stream(b"", b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]")
    shown = b"<</Type/Annot/Subtype/Widget/P 10 0 R/Rect[100 %d 300 %d]"
    objects[30] = shown % (690, 715) + b"/FT/Tx/T(fullname)/TU(Full name)/V(Ann Example)>>"
    objects[31] = shown % (650, 665) + b"/FT/Btn/T(agree)/V/Yes/AS/Yes/AP<</N<</Yes 12 0 R/Off 12 0 R>>>>>>"
    objects[32] = shown % (600, 615) + b"/FT/Tx/Ff 8192/T(pin)/V(4711)>>"
    return written(objects)
