"""The one question with which an action begins: what changed since the last answer, and what its targets mean."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any

from rove.errors import RoveError
from rove.page.frames.world import World
from rove.page.input.devices import InputDevices
from rove.page.input.element import Element
from rove.page.page_observer import PageObserver
from rove.page.targets.target_resolution import elements_in, question_for
from rove.target import Ref, parse_target


async def begin(devices: InputDevices, observer: PageObserver, targets: Sequence[str], describes: bool) -> bool:
    """Note that an action begins, and ask all frames what its targets mean; return whether the page may have changed.

    What has no answer yet is asked for, and waited for, when the action needs it.
    """
    aims = {target: parsed for target in targets if (parsed := parse_target(target)) and target not in devices.aims}
    searched = {target: spec for target, parsed in aims.items() if (spec := question_for(devices, parsed))}
    questions: dict[World, list[tuple[str, dict[str, Any]]]] = {}
    if searched:
        questions = {world: list(searched.items()) for world in await devices.page.every_world()}
    for target, parsed in aims.items() if describes else ():
        if isinstance(parsed, Ref):
            with contextlib.suppress(RoveError):  # the frame is gone, which the action itself says
                world = devices.page.worlds.with_prefix(parsed.frame)
                questions.setdefault(world, []).append((target, {"ref": parsed.local}))
    has_changed, answers = await observer.begin(
        {world: [spec for _, spec in asked] for world, asked in questions.items()}, describes
    )
    if all(answer is not None for answer in answers.values()):
        _keep_answers(devices, questions, answers)
    return has_changed


def _keep_answers(
    devices: InputDevices,
    questions: Mapping[World, Sequence[tuple[str, dict[str, Any]]]],
    answers: Mapping[World, Sequence[dict[str, Any]] | None],
) -> None:
    found: dict[str, list[Element]] = {}
    for world, asked in questions.items():
        for (target, spec), answer in zip(asked, answers[world] or (), strict=True):
            if "ref" in spec:
                devices.aims.keep_description(world.prefix + spec["ref"], answer["description"])
            elif "error" in answer:
                return  # which is raised when the action asks for the element
            else:
                elements = elements_in(devices, world, parse_target(target), answer)
                found.setdefault(target, []).extend(elements)
                if answer["description"]:
                    devices.aims.keep_description(world.prefix + answer["matches"][0]["ref"], answer["description"])
    for target, elements in found.items():
        if elements:
            devices.aims.keep(target, elements)
