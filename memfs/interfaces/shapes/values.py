"""What every shape is."""

from typing import Any

Json = dict[str, Any]
