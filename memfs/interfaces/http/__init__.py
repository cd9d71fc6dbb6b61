"""HTTP: the use cases as routes with OpenAPI, and `memfs up`, the one process that serves a vault."""
