"""memfs inside other programs' interfaces. Each module needs its program's own package, and nothing else does."""
