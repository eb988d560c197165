"""Methods about what the owner of a server sets and runs: settings, tokens, hosts, nodes."""
