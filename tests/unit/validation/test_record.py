"""`rove.records.dataclass` behaves as `dataclasses.dataclass` does."""

from __future__ import annotations

import dataclasses
import inspect
import pickle
import threading
from dataclasses import field
from functools import cached_property

import pytest

from rove.records import dataclass


@dataclass(frozen=True)
class Point:
    """A frozen class with defaults."""

    x: int
    y: int = 2
    names: list[str] = field(default_factory=list[str])
    values: str = field(default="", repr=False)

    @cached_property
    def far(self) -> bool:
        return self.x > 100


@dataclass(frozen=True)
class Place(Point):
    """A point with a `__post_init__`."""

    label: str = "here"

    def __post_init__(self) -> None:
        object.__setattr__(self, "label", self.label.upper())


@dataclasses.dataclass(frozen=True)
class Plain:
    """The same class, made by the standard library."""

    x: int
    y: int = 2
    names: list[str] = field(default_factory=list[str])
    values: str = field(default="", repr=False)


def test_signature_and_repr_are_those_of_a_standard_dataclass() -> None:
    ours, theirs = inspect.signature(Point), inspect.signature(Plain)
    assert [(p.name, p.annotation) for p in ours.parameters.values()] == [
        (p.name, p.annotation) for p in theirs.parameters.values()
    ]
    assert repr(Point(1)) == "Point(x=1, y=2, names=[])"
    assert str(Point.__init__.__qualname__) == "Point.__init__"


def test_instances_are_equal_by_class_and_fields() -> None:
    assert Point(1) == Point(1, 2)
    assert Point(1) != Point(2)
    assert Point(1) != Place(1)
    point = Point(1)
    assert not point.far  # fills the cached property, which is not a field
    assert point == Point(1)


def test_each_instance_gets_its_own_default() -> None:
    first, second = Point(1), Point(1)
    first.names.append("a")
    assert second.names == []


def test_a_frozen_instance_cannot_be_changed() -> None:
    point = Point(1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        point.x = 3  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        del point.x
    assert dataclasses.replace(point, x=3) == Point(3)


def test_missing_and_unknown_arguments_are_type_errors() -> None:
    with pytest.raises(TypeError, match="'x'"):
        Point()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="'z'"):
        Point(1, z=1)  # type: ignore[call-arg]


def test_a_subclass_has_the_fields_of_both_and_runs_post_init() -> None:
    place = Place(1, label="there")
    assert (place.y, place.label) == (2, "THERE")
    assert dataclasses.asdict(place) == {"x": 1, "y": 2, "names": [], "values": "", "label": "THERE"}


def test_instances_can_be_hashed_and_pickled() -> None:
    @dataclass(frozen=True)
    class Key:
        """A name."""

        name: str

    assert {Key("a"): 1}[Key("a")] == 1
    assert pickle.loads(pickle.dumps(Place(1))) == Place(1)


def test_fields_are_built_correctly_when_several_threads_read_them_first() -> None:
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


def test_a_mutable_instance_is_equal_by_its_fields_and_has_no_hash() -> None:
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
