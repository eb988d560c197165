"""Policies: what an agent may do, what it may not, and what a person is asked."""
