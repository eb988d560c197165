"""Videos of what a tab shows: pictures in, a WebM file out, encoded in a process of its own."""
