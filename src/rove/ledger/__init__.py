"""Append-only files of chained lines: written, read and proved whole. What the lines say is not its business."""
