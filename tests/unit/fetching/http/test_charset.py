"""The encoding of a text, as browsers decide."""

from __future__ import annotations

import pytest

from rove.content.http.answer import Headers, HttpAnswer, text_of


@pytest.mark.parametrize(
    ("body", "kind", "text"),
    [
        ("Grüße".encode(), "text/html", "Grüße"),
        ("Grüße".encode("latin-1"), "text/html", "Grüße"),
        ("Grüße".encode("latin-1"), "text/html; charset=ISO-8859-1", "Grüße"),
        (b"\x80", "text/html; charset=iso-8859-1", "€"),  # which is windows-1252 to browsers
        ("日本".encode("shift_jis"), 'text/html; charset="Shift_JIS"', "日本"),
        ("<meta charset=gbk>中".encode("gbk"), "text/html", "<meta charset=gbk>中"),
        ("<meta charset=utf-16>ü".encode(), "text/html", "<meta charset=utf-16>ü"),
        (b"\xef\xbb\xbf\xc3\xbc", "text/html; charset=latin-1", "ü"),  # the mark wins over the header
        ("\ufeffü".encode("utf-16-le"), "text/plain", "ü"),
        (b"a\xff", "text/plain; charset=utf-8", "a\ufffd"),
        ("ü".encode(), "text/plain; charset=zlib", "ü"),  # which is no encoding of text
        (
            '<?xml version="1.0" encoding="latin-1"?>ü'.encode("latin-1"),
            "text/xml",
            '<?xml version="1.0" encoding="latin-1"?>ü',
        ),
    ],
)
def test_encodings(body: bytes, kind: str, text: str) -> None:
    assert text_of(HttpAnswer("http://x/", 200, Headers((("content-type", kind),)), body)) == text


RUSSIAN = "Зелёный чай делают из листьев, которые нагревают вскоре после сбора, чтобы они оставались свежими."
JAPANESE = "緑茶は、摘み取った後すぐに加熱された葉から作られるため、緑色で新鮮なままです。日本では毎日飲まれています。"
FRENCH = "Le thé vert est préparé à partir de feuilles qui ont été chauffées peu après la récolte, déjà fraîches."


@pytest.mark.parametrize(
    ("text", "encoding"),
    [(RUSSIAN, "cp1251"), (RUSSIAN, "koi8-r"), (JAPANESE, "shift_jis"), (JAPANESE, "euc-jp"), (FRENCH, "cp1252")],
)
def test_undeclared_encodings_are_detected_by_their_letters(text: str, encoding: str) -> None:
    body = f"<html><style>p {{}}</style><p>{text}</p>".encode(encoding)
    assert text in text_of(HttpAnswer("http://x/", 200, Headers((("content-type", "text/html"),)), body))


def test_a_late_declaration_is_heeded_where_the_text_is_not_utf_8() -> None:
    body = ("<html>" + "<!-- x -->" * 400 + "<meta charset=iso-8859-2><p>ąęł").encode("iso-8859-2")
    assert "ąęł" in text_of(HttpAnswer("http://x/", 200, Headers((("content-type", "text/html"),)), body))
