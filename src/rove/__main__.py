"""The entry point of the `rove` command."""

from __future__ import annotations

import gc
import os
import sys

PIPE_CLOSED = 141


def main() -> None:
    """Run the command line. What its surroundings do, even during an import, ends it without a traceback."""
    _open_closed_streams()
    try:
        code = _run(sys.argv[1:])
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = 130  # the process that watches a started browser ends it
    except BrokenPipeError:
        _discard_output()
        code = PIPE_CLOSED
    except OSError as error:
        code = _tell(error)
    sys.exit(code)


def _tell(error: OSError) -> int:
    """Say which file, or that the output, cannot be used. Any other fault is raised: it is one in rove."""
    import errno

    if error.filename is None and error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF):
        raise error
    _discard_output()
    sys.stderr.write(f"rove: {error.filename or 'The output cannot be written'}: {error.strerror}.\n")
    return 1


def _open_closed_streams() -> None:
    """Open standard streams that were closed (`>&-`) to nothing, before a file or a socket takes their numbers."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            opened = os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(opened, "r" if number == 0 else "w", encoding="utf-8"))


def _discard_output() -> None:
    """Let Python not fail again at its exit, when it writes what is left for a reader that has gone (`| head`)."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(arguments: list[str]) -> int:
    """Run the command. A server's browser is started before the rest is imported."""
    from rove.surfaces.cli.command_names import OWN_COMMANDS

    if arguments[:1] == ["help"]:
        arguments = [*arguments[1:], "--help"]
    if arguments and arguments[0] not in OWN_COMMANDS and not arguments[0].startswith("-"):
        from rove.surfaces.cli.daemon.client import run as run_in_daemon

        return run_in_daemon(arguments, os.environ)
    launch = None
    if arguments[:1] == ["mcp"] and not {"-h", "--help", "--help-all"} & set(arguments):
        from rove.browser.chromium.launch import early_launch

        launch = early_launch(arguments, os.environ)
    gc.disable()  # imports leave no garbage, and looking for it takes a tenth of their time
    from rove.surfaces.cli.main import run

    gc.enable()
    return run(arguments, launch)


if __name__ == "__main__":
    main()
