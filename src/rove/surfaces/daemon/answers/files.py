"""The files of an answer: pictures, and files of the workspace that an action wrote."""

from __future__ import annotations

import asyncio
import os
from datetime import datetime
from pathlib import Path

from rove.errors import RoveError
from rove.outcome import AnyOutcome, Attachment
from rove.surfaces.arguments.action_parser import Command
from rove.surfaces.daemon.reply import Reply
from rove.workspace import Workspace

STANDARD_OUTPUT = "-"


async def save_files(outcome: AnyOutcome, command: Command, workspace: Workspace, reply: Reply) -> list[str]:
    """Write the files of an answer where the command says, or pictures to the workspace; return their paths."""
    if command.out is None:
        return [await _save(attachment, command.verb, workspace) for attachment in outcome.attachments]
    contents = [attachment.data for attachment in outcome.attachments]
    if not contents and (written := written_file(outcome)):
        contents = [await asyncio.to_thread(_read, workspace, written)]
    paths = [_numbered(command.out, number) for number in range(1, len(contents) + 1)]
    for path, data in zip(paths, contents, strict=True):
        reply.file(path, data)
    return paths


def written_file(outcome: AnyOutcome) -> str | None:
    """Return the path of the file of the workspace that an action printed, or downloaded last, if it did."""
    result = outcome.result
    downloads = [getattr(result, "download", None), *getattr(result, "files", ())]
    found = [getattr(result, "path", None), *(getattr(each, "path", None) for each in downloads)]
    # The event of a download tells its path, then its size in brackets.
    found += [str(event.text).rpartition(" (")[0] for event in outcome.events if event.kind == "download"]
    return next((str(path) for path in reversed(found) if path), None)


def _numbered(path: str, number: int) -> str:
    """Return the path of one of several files: page.png, page-2.png."""
    return path if number == 1 or path == STANDARD_OUTPUT else str(Path(path).with_stem(f"{Path(path).stem}-{number}"))


def _read(workspace: Workspace, path: str) -> bytes:
    with workspace.reading(path) as file, os.fdopen(os.dup(file.descriptor), "rb") as opened:
        return opened.read()


async def _save(attachment: Attachment, verb: str, workspace: Workspace) -> str:
    if attachment.path is not None:
        return attachment.path
    suffix = Path(attachment.name or "").suffix or "." + attachment.mime.partition("/")[2]
    return str(await workspace.save(".", f"{verb}-{datetime.now():%Y%m%d-%H%M%S}{suffix}", attachment.data))


def unfinished(outcome: AnyOutcome) -> RoveError | None:
    """Return why a file cannot be written yet: its download is still under way."""
    if any(event.kind == "download started" for event in outcome.events) and written_file(outcome) is None:
        hint = "`rove downloads --wait --out FILE` writes it when it is complete."
        return RoveError("The download is still under way, so no file is written.", hint=hint)
    return None
