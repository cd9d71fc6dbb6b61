"""One parser per format: bytes in, turns out. Pure: streams and the user's names come as arguments."""
