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
LOOKED_AT_LATE = 200_000
FALLBACK = "windows-1252"
# Encodings that pages without a declaration are written in, by Python's names for them.
CANDIDATES = {
    "cp1252": "windows-1252", "cp1251": "windows-1251", "koi8_r": "koi8-r",
    "cp1253": "windows-1253", "cp1255": "windows-1255", "cp1256": "windows-1256", "shift_jis": "shift_jis",
    "cp932": "shift_jis", "euc_jp": "euc-jp", "gb18030": "gb18030", "gbk": "gbk", "big5": "big5", "euc_kr": "euc-kr",
    "cp949": "euc-kr",
}  # fmt: skip
# Too few letters beyond ASCII say nothing.
FEWEST_FOREIGN = 12
DETECTED_BY = 6_000
_MARKUP = re.compile(rb"<[^<>]*>")
_FOREIGN = re.compile(rb"[\x80-\xff]")


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
    return lookup(label) or _declared(body, LOOKED_AT) or lookup(_guess(body)) or UTF8


def _declared(body: bytes, within: int) -> Encoding | None:
    """Return the encoding that a document declares for itself in its first bytes."""
    from webencodings import lookup

    found = _META.search(body[:within]) or _XML.search(body[:within])
    encoding = lookup(found[1].decode("ascii", "replace")) if found else None
    # A declaration that can be read byte by byte is not written in two bytes for each letter.
    return lookup("utf-8") if encoding is not None and encoding.name.startswith("utf-16") else encoding


def _guess(body: bytes) -> str:
    """Return UTF-8 if the bytes are valid in it, as others hardly ever are; else the encoding that they suggest.

    Browsers heed a declaration further on too, and otherwise guess by the letters.
    """
    try:
        codecs.getincrementaldecoder("utf-8")().decode(body)  # the end may be cut in the middle of a letter
    except UnicodeDecodeError:
        declared = _declared(body, LOOKED_AT_LATE)
        return declared.name if declared is not None else _detected(body)
    return "utf-8"


def _detected(body: bytes) -> str:
    """Return the encoding that the letters of a text suggest. Markup, which is ASCII, says nothing about it."""
    from charset_normalizer import from_bytes

    words = _MARKUP.sub(b" ", body[:LOOKED_AT_LATE]).split()
    letters = b" ".join(word for word in words if _FOREIGN.search(word))[:DETECTED_BY]
    if len(_FOREIGN.findall(letters)) < FEWEST_FOREIGN:
        return FALLBACK
    best = from_bytes(letters, cp_isolation=[*CANDIDATES], threshold=0.4, language_threshold=0.05).best()
    return CANDIDATES.get(best.encoding, FALLBACK) if best is not None else FALLBACK
