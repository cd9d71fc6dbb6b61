"""The ways in: the command line, the Python library. Each calls the use cases and shows what they answer."""
