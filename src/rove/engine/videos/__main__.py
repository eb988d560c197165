"""The process that encodes a video: pictures at its standard input, the file at a descriptor, a line when it ends.

It ends when its input does. So it finishes its file also where rove itself was killed, and does not outlive it.
"""

from __future__ import annotations

import io
import os
import signal
import sys
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import av
from PIL import Image

from rove.engine.videos.frame_stream import Encoded, Limits, read_picture

if TYPE_CHECKING:
    from typing import BinaryIO

MILLISECOND = Fraction(1, 1000)
# Around a picture that has another shape than the first one had.
BACKGROUND = (32, 33, 36)
# VP8 plays in every browser. With these settings a picture of 1280 x 720 takes about 15 ms of one core, all in all.
CODEC_OPTIONS = {"deadline": "realtime", "cpu-used": "8", "lag-in-frames": "0", "qmin": "2", "qmax": "50", "g": "120"}
BITS_PER_SECOND = 1_500_000
# What is older than a second is in the file, so that little is lost if this process is killed.
CONTAINER_OPTIONS = {"cluster_time_limit": "1000", "flush_packets": "1"}
# Bytes that the end of a file takes: what was not written yet, and the index.
ENDING_BYTES = 200_000

# Seconds that the end of a file may take to be written. After that the process is ended by the system.
ENDING_SECONDS = 20


class WebmFile:
    """A video of pictures that are each shown until the next one; all have the size that the first one had."""

    def __init__(self, file: BinaryIO, limits: Limits) -> None:
        self._file = file
        self._limits = limits
        self._container: Any = None
        self._stream: Any = None
        self._canvas: Image.Image | None = None
        self._last = -1
        self._pictures = 0
        self.is_full = False

    def add(self, at: float, picture: bytes) -> None:
        """Show a JPEG from a moment on; without data, note that the last picture is still shown."""
        if self.is_full:
            return
        if picture:
            self._canvas = self._fitted(picture)
        if self._canvas is None:
            return
        moment = max(round(at * 1000), self._last + 1)
        if moment >= self._limits.seconds * 1000 or self._file.tell() + ENDING_BYTES >= self._limits.size:
            self.is_full = True
            return
        self._pictures += bool(picture)
        self._last = moment
        frame: Any = av.VideoFrame.from_image(self._canvas)  # type: ignore[no-untyped-call]
        frame = frame.reformat(format="yuv420p")
        frame.pts, frame.time_base = moment, MILLISECOND
        self._container.mux(self._stream.encode(frame))

    def close(self) -> Encoded:
        """Write the end of the file, without which it plays but has no length."""
        if self._container is None or self._canvas is None:
            return Encoded()
        self._container.mux(self._stream.encode(None))
        self._container.close()
        width, height = self._canvas.size
        return Encoded(max(self._last, 0) / 1000, self._pictures, width, height, self.is_full)

    def _fitted(self, picture: bytes) -> Image.Image:
        """Return a picture in the size of the video, which the first one decides."""
        image = Image.open(io.BytesIO(picture)).convert("RGB")
        if self._canvas is None:
            self._open(image.size)
        scale = min(self._stream.width / image.width, self._stream.height / image.height)
        size = max(round(image.width * scale), 1), max(round(image.height * scale), 1)
        if size != image.size:
            image = image.resize(size, Image.Resampling.BILINEAR)
        canvas = Image.new("RGB", (self._stream.width, self._stream.height), BACKGROUND)
        canvas.paste(image, ((canvas.width - size[0]) // 2, (canvas.height - size[1]) // 2))
        return canvas

    def _open(self, size: tuple[int, int]) -> None:
        scale = min(1.0, self._limits.width / size[0])
        self._container = av.open(self._file, "w", format="webm", options=CONTAINER_OPTIONS)
        self._stream = self._container.add_stream("libvpx", rate=25, options=CODEC_OPTIONS)
        # VP8 stores colours for blocks of two by two pixels.
        self._stream.width, self._stream.height = (max(round(side * scale) // 2 * 2, 2) for side in size)
        self._stream.pix_fmt = "yuv420p"
        self._stream.thread_count = (
            1  # several threads take turns in waiting for each other, and the browser needs them
        )
        self._stream.bit_rate = BITS_PER_SECOND
        self._stream.time_base = self._stream.codec_context.time_base = MILLISECOND


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
