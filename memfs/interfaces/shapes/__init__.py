"""The answers of the use cases as JSON values: the same keys for every interface."""
