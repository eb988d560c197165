"""What one command costs in a shell: rove beside agent-browser and playwright-cli."""
