"""From turns to operations: redaction, segments, the offline rules."""
