"""``python -m memfs``."""

from memfs.interfaces.cli import main

main(prog_name="memfs")
