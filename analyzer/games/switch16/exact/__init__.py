"""Switch 16 without chance: exact probabilities, solved games, optimal policies."""
