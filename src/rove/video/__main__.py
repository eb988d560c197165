"""The process that encodes a video: pictures at its standard input, the file at a descriptor, a line when it ends.

It ends when its input does. So it finishes its file also where rove itself was killed, and does not outlive it.
"""

from __future__ import annotations

import os
import signal
import sys

from rove.video.frame_stream import Limits, read_picture
from rove.video.webm import WebmFile

# Seconds that the end of a file may take to be written. After that the process is ended by the system.
ENDING_SECONDS = 20


def main(descriptor: int, limits: Limits) -> None:
    """Encode until the input ends or a limit is reached."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C at a terminal ends rove, which then ends the input
    with os.fdopen(descriptor, "wb", buffering=0) as file:
        video = WebmFile(file, limits)
        while not video.is_full and (picture := read_picture(sys.stdin.buffer)) is not None:
            video.add(*picture)
        signal.alarm(ENDING_SECONDS)
        encoded = video.close()
    sys.stdout.buffer.write(encoded.as_line())


if __name__ == "__main__":
    main(int(sys.argv[1]), Limits(float(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])))
