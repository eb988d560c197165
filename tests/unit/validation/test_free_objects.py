"""Arguments that are objects whose properties are not known ahead."""

from __future__ import annotations

import pytest

from rove.action import parse
from rove.actions.extract import Extract
from rove.errors import InvalidArguments
from rove.fields import schema_of


@pytest.mark.parametrize("given", [{"rows": "li"}, '{"rows": "li"}'], ids=["object", "JSON"])
def test_they_are_given_as_objects_or_as_json(given: object) -> None:
    action = parse("extract", {"mode": "rows", "schema": given})
    assert isinstance(action, Extract)
    assert action.schema == {"rows": "li"}


@pytest.mark.parametrize("given", ["li", "[1]", "{", 3])
def test_other_values_are_refused(given: object) -> None:
    with pytest.raises(InvalidArguments, match="must be an object"):
        parse("extract", {"mode": "rows", "schema": given})


def test_a_model_is_asked_for_json() -> None:
    assert schema_of(Extract)["properties"]["schema"]["type"] == "string"
