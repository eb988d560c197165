"""Tells a client what an action answered."""

from __future__ import annotations

from dataclasses import replace

from rove.engine.sessions.sessions import Sessions
from rove.outcome import AnyOutcome, Own
from rove.render.outcomes import as_data, as_text
from rove.surfaces.arguments.action_parser import Command
from rove.surfaces.arguments.command_advice import advise, in_command_words
from rove.surfaces.colours import Palette
from rove.surfaces.daemon.answers.files import STANDARD_OUTPUT, save_files, unfinished
from rove.surfaces.daemon.people.pretty import lines_for, pretty
from rove.surfaces.daemon.reply import Reply
from rove.workspace import Workspace


async def tell(outcome: AnyOutcome, command: Command, engine: Sessions, reply: Reply) -> None:
    """Show an answer, and write its files; what has no file is written as text where --out says."""
    if outcome.result.error is not None:
        advise(outcome.result.error, command.verb)
    if command.out is not None and (problem := unfinished(outcome)):
        raise problem
    saved = await save_files(outcome, command, Workspace(engine.settings.workspace_folder), reply)
    told = _told(outcome, command, saved, reply)
    if command.out is None or (command.out == STANDARD_OUTPUT and not saved):
        reply.output(told)
    elif command.out == STANDARD_OUTPUT:
        reply.error(told)
    elif saved:
        reply.output(told)
    else:
        reply.file(command.out, told.encode())
        is_done = outcome.result.error is None
        short = reply.as_json({"ok": is_done, "files": [command.out]}) if command.as_json else _saved([command.out])
        reply.output(short)


def _told(outcome: AnyOutcome, command: Command, saved: list[str], reply: Reply) -> str:
    if command.as_json:
        files = {"files": saved} if saved else {}
        return reply.as_json({"ok": outcome.result.error is None, **as_data(outcome), **files})
    if command.is_pretty:
        return pretty(outcome, Palette(reply.has_colour and command.out is None), lines_for(reply.encoding))
    events = tuple(replace(event, advice=Own(in_command_words(event.advice))) for event in outcome.events)
    told = as_text(replace(outcome, events=events))
    text = in_command_words(told) if command.verb == "open_session" else told
    return f"{text}\n{_saved([path for path in saved if path != STANDARD_OUTPUT])}"


def _saved(paths: list[str]) -> str:
    return "".join(f"Saved {path}\n" for path in paths)
