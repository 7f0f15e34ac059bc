"""Charts that only Turn the Tide has."""
