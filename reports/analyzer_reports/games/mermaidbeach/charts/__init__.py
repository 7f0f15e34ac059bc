"""Charts that only Mermaid Beach has."""
