"""Policies: what an agent may do, what it may not do, and what a person must approve."""
