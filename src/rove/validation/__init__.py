"""Values that are declared once: checked fields, cheap dataclasses and patterns, spelling suggestions."""
