"""Facts about a document beside its text: title, dates, outline, links, fields of forms."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as raw

MOST_OUTLINE = 500
DEEPEST_OUTLINE = 8
LONGEST_TITLE = 300
MOST_LINKS = 200
LONGEST_URL = 2000
MOST_FIELDS = 200
LONGEST_VALUE = 2000
_FIELD_KINDS = {
    raw.FPDF_FORMFIELD_TEXTFIELD: "text",
    raw.FPDF_FORMFIELD_CHECKBOX: "checkbox",
    raw.FPDF_FORMFIELD_RADIOBUTTON: "radio",
    raw.FPDF_FORMFIELD_COMBOBOX: "select",
    raw.FPDF_FORMFIELD_LISTBOX: "list",
}
_PASSWORD_FLAG = 1 << 13
# Addresses that a reader may follow: those of the web and of people, and those without a scheme.
_FOLLOWED = re.compile(r"(?:https?|mailto|tel):|(?![a-z][a-z0-9+.-]*:)", re.IGNORECASE)
_DATE = re.compile(r"D:(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?")


def read_dates(document: pdfium.PdfDocument) -> dict[str, str]:
    """Return title, author and date of a document; empty where it does not say."""
    made = document.get_metadata_value("CreationDate") or document.get_metadata_value("ModDate")
    return {
        "title": _line(document.get_metadata_value("Title")),
        "author": _line(document.get_metadata_value("Author")),
        "date": _iso(made),
    }


def _line(text: str) -> str:
    return " ".join(text.split())[:LONGEST_TITLE]


def _iso(date: str) -> str:
    match = _DATE.match(date)
    if match is None:
        return ""
    day = "-".join(part for part in match.groups()[:3] if part)
    return f"{day}T{match[4]}:{match[5]}" if match[5] else day


def read_outline(document: pdfium.PdfDocument) -> tuple[list[tuple[str, int, int | None]], bool]:
    """Return the entries of the outline, and whether there are more."""
    items: list[tuple[str, int, int | None]] = []
    for bookmark in document.get_toc(max_depth=DEEPEST_OUTLINE):
        if len(items) == MOST_OUTLINE:
            return items, True
        target = bookmark.get_dest()
        index = target.get_index() if target else None
        items.append((_line(bookmark.get_title()), bookmark.level, None if index is None else index + 1))
    return items, False


def read_links(document: pdfium.PdfDocument, page: pdfium.PdfPage) -> list[tuple[str, str, int | None]]:
    """Return the links of a page: text, address, and the page that one inside the document leads to."""
    text, found = page.get_textpage(), list[tuple[str, str, int | None]]()
    position, link = ctypes.c_int(0), raw.FPDF_LINK()
    while len(found) < MOST_LINKS and raw.FPDFLink_Enumerate(page, position, link):
        url, target = _url(document, link), _target(document, link)
        rectangle = raw.FS_RECTF()
        if (url or target) and raw.FPDFLink_GetAnnotRect(link, rectangle):
            edges = (rectangle.left, rectangle.bottom, rectangle.right, rectangle.top)
            found.append((_line(text.get_text_bounded(*edges)), url, target))
    return found


def _url(document: pdfium.PdfDocument, link: Any) -> str:
    action = raw.FPDFLink_GetAction(link)
    if not action or raw.FPDFAction_GetType(action) != raw.PDFACTION_URI:
        return ""
    size = raw.FPDFAction_GetURIPath(document, action, None, 0)
    buffer = ctypes.create_string_buffer(size)
    raw.FPDFAction_GetURIPath(document, action, buffer, size)
    address = "".join(each for each in buffer.value.decode("utf-8", "replace") if each.isprintable() and each != " ")
    return address[:LONGEST_URL] if _FOLLOWED.match(address) else ""


def _target(document: pdfium.PdfDocument, link: Any) -> int | None:
    target = raw.FPDFLink_GetDest(document, link)
    if not target and (action := raw.FPDFLink_GetAction(link)):
        target = raw.FPDFAction_GetDest(document, action)
    index = raw.FPDFDest_GetDestPageIndex(document, target) if target else -1
    return index + 1 if index >= 0 else None


def read_fields(document: pdfium.PdfDocument, page: pdfium.PdfPage) -> list[tuple[str, str, str]]:
    """Return the fields of forms on a page: name, kind and value."""
    if document.formenv is None:
        return []
    found: list[tuple[str, str, str]] = []
    for index in range(min(raw.FPDFPage_GetAnnotCount(page), 10 * MOST_FIELDS)):
        annotation = raw.FPDFPage_GetAnnot(page, index)
        if annotation and raw.FPDFAnnot_GetSubtype(annotation) == raw.FPDF_ANNOT_WIDGET:
            found += _field(document, annotation)
        raw.FPDFPage_CloseAnnot(annotation)
        if len(found) >= MOST_FIELDS:
            break
    return found


def _field(document: pdfium.PdfDocument, annotation: Any) -> list[tuple[str, str, str]]:
    form: Any = document.formenv
    kind = _FIELD_KINDS.get(raw.FPDFAnnot_GetFormFieldType(form, annotation))
    if kind is None:
        return []
    name = _string(raw.FPDFAnnot_GetFormFieldAlternateName, form, annotation)
    name = name or _string(raw.FPDFAnnot_GetFormFieldName, form, annotation)
    if kind == "text" and raw.FPDFAnnot_GetFormFieldFlags(form, annotation) & _PASSWORD_FLAG:
        return [(name, "password", "")]
    if kind in ("checkbox", "radio"):
        is_checked = raw.FPDFAnnot_IsChecked(form, annotation)
        return [(name, kind, "checked" if is_checked else "not checked")]
    return [(name, kind, _string(raw.FPDFAnnot_GetFormFieldValue, form, annotation))]


def _string(read: Callable[..., int], form: Any, annotation: Any) -> str:
    size = read(form, annotation, None, 0)
    if size <= 2:
        return ""
    buffer = (ctypes.c_ushort * (size // 2 + 1))()
    read(form, annotation, buffer, size)
    return bytes(buffer)[: size - 2].decode("utf-16-le", "replace")[:LONGEST_VALUE]
