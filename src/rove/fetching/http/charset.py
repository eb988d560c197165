"""The text of an answer: its encoding by byte order mark, header or meta element, as browsers decide."""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING

from rove.fetching.http.answer import HttpAnswer

if TYPE_CHECKING:
    from webencodings import Encoding

_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_BE, "utf-16be"), (codecs.BOM_UTF16_LE, "utf-16le"))
_CHARSET = re.compile(r"charset\s*=\s*+[\"']?+\s*+([^\s\"'/>;,]+)", re.IGNORECASE)
_META = re.compile(rb"<meta[^>]*?charset\s*=\s*+[\"']?+\s*+([^\s\"'/>;]+)", re.IGNORECASE)
_XML = re.compile(rb"^\s*<\?xml[^>]*?encoding\s*=\s*[\"']([^\"']+)", re.IGNORECASE)
# Browsers look for a meta element in so many bytes.
LOOKED_AT = 1024
FALLBACK = "windows-1252"


def text_of(answer: HttpAnswer) -> str:
    """Return the body of an answer as text. Bytes that are not valid in its encoding are replaced."""
    encoding = encoding_of(answer.body, answer.headers.get("content-type"))
    text, _ = encoding.codec_info.decode(answer.body, "replace")
    return text.removeprefix("\ufeff")


def encoding_of(body: bytes, content_type: str) -> Encoding:
    """Return the encoding of a text."""
    from webencodings import UTF8, lookup

    mark = next((name for start, name in _BOMS if body.startswith(start)), None)
    named = _CHARSET.search(content_type)
    label = mark or (named[1] if named else "")
    return lookup(label) or _declared(body) or lookup(_guess(body)) or UTF8


def _declared(body: bytes) -> Encoding | None:
    """Return the encoding that a document declares for itself."""
    from webencodings import lookup

    found = _META.search(body[:LOOKED_AT]) or _XML.search(body[:LOOKED_AT])
    encoding = lookup(found[1].decode("ascii", "replace")) if found else None
    # A declaration that can be read byte by byte is not written in two bytes for each letter.
    return lookup("utf-8") if encoding is not None and encoding.name.startswith("utf-16") else encoding


def _guess(body: bytes) -> str:
    """Return UTF-8 if the bytes are valid in it, as those of another encoding hardly ever are."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(body)  # the end may be cut in the middle of a letter
    except UnicodeDecodeError:
        return FALLBACK
    return "utf-8"
