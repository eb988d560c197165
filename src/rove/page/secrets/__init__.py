"""Secrets in pages: fields that hold one, and copied text that carries one."""
