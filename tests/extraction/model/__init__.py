"""Tests of extraction by a language model, against a server process that speaks the real protocol."""
