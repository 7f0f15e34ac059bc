"""The version, apart from the package itself, which shows the Python interface."""

__version__ = "0.1.0"
