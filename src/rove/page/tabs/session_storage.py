"""The script that gives a tab the session storage of a restored state, in a world of rove's own."""

from __future__ import annotations

# Filled in with the items of each origin, as JSON.
SCRIPT = """(() => {
  const items = (%s)[location.origin];
  if (!items || window !== window.top || sessionStorage.length) return;
  for (const { name, value } of items) sessionStorage.setItem(name, value);
})()"""
