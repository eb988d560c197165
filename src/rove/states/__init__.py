"""Named states, which keep logins over restarts: what they hold, the encrypted files that they are saved in."""
