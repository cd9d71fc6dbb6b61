"""MCP: the use cases that an agent needs, as tools; over stdio (`memfs mcp`) and mounted in `memfs up`."""
