"""Charts that only Switch 16 has."""
