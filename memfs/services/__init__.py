"""Use cases, one module each. `commit` owns protocol 3.1; everything that writes goes through it."""
