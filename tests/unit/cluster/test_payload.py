"""Values between processes: records and errors of rove pass, and nothing that runs code does."""

from __future__ import annotations

import os
import pickle
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from rove.cluster.payload import PayloadRefused, decode, encode
from rove.errors import HttpError
from rove.jobs.worker import PageAnswer, PageError
from rove.page_text import PageText


def test_records_and_errors_arrive_as_they_were() -> None:
    answer = PageAnswer({"text": PageText("Hi", "https://a.example")}, PageError("denied", "No."), files=("a.png",))
    assert decode(encode(answer)) == answer
    assert decode(encode(answer)).result["text"].origin == "https://a.example"
    error = decode(encode(HttpError("The server answered with HTTP 503.", status=503, retry_after=2.0)))
    assert (error.code, error.status, error.retry_after, error.retryable) == ("http_error", 503, 2.0, True)


class _Calling:
    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        self._call = (function, arguments)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return self._call


@pytest.mark.parametrize("call", [(os.system, "true"), (eval, "1"), (subprocess.run, ["true"]), (open, "/dev/null")])
def test_bytes_that_would_call_a_function_are_refused(call: tuple[Callable[..., Any], Any]) -> None:
    with pytest.raises(PayloadRefused):
        decode(pickle.dumps(_Calling(*call)))


@pytest.mark.parametrize(
    ("module", "name"),
    [("rove.__main__", "main"), ("rove.errors", "os.system"), ("rove.workspace", "Workspace"), ("rove.version", "str")],
)
def test_of_rove_itself_only_records_are_made(module: str, name: str) -> None:
    # The opcodes of a name with dots, which a pickler does not write.
    with pytest.raises(PayloadRefused):
        decode(
            b"\x80\x04\x8c"
            + bytes([len(module)])
            + module.encode()
            + b"\x8c"
            + bytes([len(name)])
            + name.encode()
            + b"\x93."
        )
