"""Files on disk: safe paths, writes that lose nobody's bytes, locks, leases, intent log, local state."""
