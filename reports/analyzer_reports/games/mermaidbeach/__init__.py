"""Mermaid Beach: its story and its charts."""
