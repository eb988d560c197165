"""How rove meets requests that wait for it, on any engine: answers of rules, HTTP credentials."""
