"""Starts a program that can use TCP but not UDP: the kernel refuses it, and all processes it starts, other sockets.

`python socket_filter.py PROGRAM ARGUMENT...` installs a filter for system calls (seccomp), which nothing can remove,
and then becomes that program. If the filter cannot be installed, the program is not started.

Standard library only, and no import of rove: this file runs before a browser is started.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# From Linux's headers: prctl.h, seccomp.h, audit.h, bpf_common.h, socket.h and the tables of system calls.
_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 38, 22, 2
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | 13  # refused calls fail with EACCES
_LOAD, _AND, _IF_EQUAL, _IF_AT_LEAST, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
_CALL, _ARCHITECTURE, _FAMILY, _TYPE, _PROTOCOL = 0, 4, 16, 24, 32  # where the kernel has them: `struct seccomp_data`
_UNIX, _INET, _INET6, _NETLINK = 1, 2, 10, 16
_TYPE_MASK, _STREAM = 0xF, 1
_TCP = 6
# The call that makes a socket, and the number by which the kernel knows the architecture.
_SYSTEMS = {"x86_64": (41, 0xC000003E), "aarch64": (198, 0xC00000B7)}
_IO_URING_SETUP = 425  # makes sockets without a system call for each
_X32_CALLS = 0x40000000  # the same calls once more, by other numbers
Instruction = tuple[int, int, str, str]


def is_supported() -> bool:
    """Return whether this machine has such a filter: Linux on processors whose system calls are known here."""
    return sys.platform == "linux" and os.uname().machine in _SYSTEMS


def _rules(socket_call: int, architecture: int) -> dict[str, Sequence[Instruction]]:
    """Return the filter as blocks: each instruction names the block to go on with if it holds, and if it does not.

    An empty name is the next instruction. What is not known to be harmless is refused.
    """
    return {
        "start": (
            (_LOAD, _ARCHITECTURE, "", ""),
            (_IF_EQUAL, architecture, "", "refuse"),
            (_LOAD, _CALL, "", ""),
            (_IF_AT_LEAST, _X32_CALLS, "refuse", ""),
            (_IF_EQUAL, _IO_URING_SETUP, "refuse", ""),
            (_IF_EQUAL, socket_call, "", "allow"),
            (_LOAD, _FAMILY, "", ""),
            (_IF_EQUAL, _UNIX, "allow", ""),
            (_IF_EQUAL, _NETLINK, "allow", ""),
            (_IF_EQUAL, _INET, "internet", ""),
            (_IF_EQUAL, _INET6, "internet", "refuse"),
        ),
        "internet": (
            (_LOAD, _TYPE, "", ""),
            (_AND, _TYPE_MASK, "", ""),
            (_IF_EQUAL, _STREAM, "", "refuse"),
            (_LOAD, _PROTOCOL, "", ""),
            (_IF_EQUAL, 0, "allow", ""),
            (_IF_EQUAL, _TCP, "allow", "refuse"),
        ),
        "allow": ((_RETURN, _ALLOW, "", ""),),
        "refuse": ((_RETURN, _REFUSE, "", ""),),
    }


def _program() -> bytes:
    """Return the filter as the kernel reads it: `struct sock_filter`, with jumps counted in instructions."""
    import struct

    blocks = _rules(*_SYSTEMS[os.uname().machine])
    begins: dict[str, int] = {}
    for name in blocks:
        begins[name] = sum(len(blocks[each]) for each in begins)
    instructions = [instruction for block in blocks.values() for instruction in block]
    encoded = b""
    for number, (code, value, if_true, if_false) in enumerate(instructions):
        jumps = [begins[name] - number - 1 if name else 0 for name in (if_true, if_false)]
        encoded += struct.pack("<HBBI", code, *jumps, value)
    return encoded


def install() -> None:
    """Install the filter in this process, for itself and its children. Raises OSError if the kernel refuses it."""
    import ctypes

    program = _program()
    buffer = ctypes.create_string_buffer(program, len(program))

    class _FilterProgram(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))

    own = _FilterProgram(len(program) // 8, ctypes.addressof(buffer))
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    prctl.argtypes = (ctypes.c_int, *[ctypes.c_ulong] * 4)
    for arguments in (
        (_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
        (_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.addressof(own), 0, 0),
    ):
        if prctl(*arguments) != 0:
            number = ctypes.get_errno()
            raise OSError(number, f"The kernel installs no filter for system calls: {os.strerror(number)}")


if __name__ == "__main__":
    install()
    os.execv(sys.argv[1], sys.argv[1:])
