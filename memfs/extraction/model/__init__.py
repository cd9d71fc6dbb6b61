"""Extraction by a language model: prompt, call, tolerant reading of the answer, judgement of each operation.

Nothing here imports a provider's library before a call is made.
"""
