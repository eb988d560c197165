"""Named secrets: where they come from, where they may go, and their redaction."""
