"""Turn the Tide: its story and its charts."""
