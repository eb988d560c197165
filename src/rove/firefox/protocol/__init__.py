"""WebDriver BiDi: commands, answers and events over one WebSocket, and the pages that they belong to."""
