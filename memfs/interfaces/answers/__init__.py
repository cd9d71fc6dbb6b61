"""The answers of HTTP and MCP as pydantic models: what `shapes` builds, described for clients.

A model lists the keys that a client may rely on; a test sees to it that they are those of the shape.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Answer(BaseModel):
    """What every answer is. A key more, of a later version, is no error."""

    model_config = ConfigDict(extra="allow")
