"""Switch 16: its story and its charts."""
