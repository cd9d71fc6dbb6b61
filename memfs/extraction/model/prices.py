"""What calls cost, where it is known: the price list that comes with the package genai-prices, read offline."""

from __future__ import annotations

from memfs.extraction.model.names import ModelName
from memfs.model import Tokens


def price(name: ModelName, tokens: Tokens, *, elsewhere: bool = False) -> float | None:
    """The price in US dollars; 0 for a model at home, None where no list has it.

    ``elsewhere``: the model is served by another server than its provider's own, whose prices nobody here knows.
    """
    if not name.paid:
        return 0.0
    if elsewhere:
        return None
    try:
        from genai_prices import Usage, calc_price

        usage = Usage(input_tokens=tokens.input, output_tokens=tokens.output)
        return float(calc_price(usage, model_ref=name.model, provider_id=name.provider).total_price)
    except (ImportError, LookupError):
        return None
