"""The cheap dataclass behaves as the standard one does."""

from __future__ import annotations

import dataclasses
import inspect
import pickle
import threading
from dataclasses import field
from functools import cached_property

import pytest

from rove.validation.record import dataclass


@dataclass(frozen=True)
class Point:
    """Where something is."""

    x: int
    y: int = 2
    names: list[str] = field(default_factory=list[str])
    values: str = field(default="", repr=False)

    @cached_property
    def far(self) -> bool:
        return self.x > 100


@dataclass(frozen=True)
class Place(Point):
    """A point that was looked at when it was made."""

    label: str = "here"

    def __post_init__(self) -> None:
        object.__setattr__(self, "label", self.label.upper())


@dataclasses.dataclass(frozen=True)
class Plain:
    """The standard library's own."""

    x: int
    y: int = 2
    names: list[str] = field(default_factory=list[str])
    values: str = field(default="", repr=False)


def test_its_signature_and_its_words_are_those_of_the_standard() -> None:
    ours, theirs = inspect.signature(Point), inspect.signature(Plain)
    assert [(p.name, p.annotation) for p in ours.parameters.values()] == [
        (p.name, p.annotation) for p in theirs.parameters.values()
    ]
    assert repr(Point(1)) == "Point(x=1, y=2, names=[])"
    assert str(Point.__init__.__qualname__) == "Point.__init__"


def test_values_are_equal_by_class_and_fields() -> None:
    assert Point(1) == Point(1, 2)
    assert Point(1) != Point(2)
    assert Point(1) != Place(1)
    looked_at = Point(1)
    assert not looked_at.far  # what was worked out later is no part of the value
    assert looked_at == Point(1)


def test_each_value_has_a_default_of_its_own() -> None:
    first, second = Point(1), Point(1)
    first.names.append("a")
    assert second.names == []


def test_nothing_of_it_changes() -> None:
    point = Point(1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        point.x = 3  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        del point.x
    assert dataclasses.replace(point, x=3) == Point(3)


def test_what_is_missing_or_unknown_is_an_error() -> None:
    with pytest.raises(TypeError, match="'x'"):
        Point()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="'z'"):
        Point(1, z=1)  # type: ignore[call-arg]


def test_a_class_made_from_another_has_the_fields_of_both_and_runs_what_follows() -> None:
    place = Place(1, label="there")
    assert (place.y, place.label) == (2, "THERE")
    assert dataclasses.asdict(place) == {"x": 1, "y": 2, "names": [], "values": "", "label": "THERE"}


def test_values_can_be_keys_and_travel() -> None:
    @dataclass(frozen=True)
    class Key:
        """A name."""

        name: str

    assert {Key("a"): 1}[Key("a")] == 1
    assert pickle.loads(pickle.dumps(Place(1))) == Place(1)


def test_a_class_is_made_ready_once_though_many_come_at_the_same_time() -> None:
    @dataclass(frozen=True)
    class Late:
        word: str = field(default="x", metadata={"rule": "kept"})

    ready = threading.Barrier(8)
    seen: list[object] = []

    def look() -> None:
        ready.wait()
        seen.append(dataclasses.fields(Late)[0].metadata["rule"])

    threads = [threading.Thread(target=look) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == ["kept"] * 8


def test_one_that_may_change_is_equal_by_its_values_and_has_no_hash() -> None:
    @dataclass
    class Open:
        word: str
        words: list[str] = field(default_factory=list[str])

    first, second = Open("a"), Open("a")
    assert first == second
    first.words.append("b")
    first.word = "c"
    assert first != second
    assert second.words == []
    with pytest.raises(TypeError):
        hash(first)
