"""Runs actions: policy check, approval, the action itself, redaction and the journal entry."""
