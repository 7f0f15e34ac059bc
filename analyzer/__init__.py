"""Answer questions about board games by playing millions of them."""

__version__ = "0.1.0"
