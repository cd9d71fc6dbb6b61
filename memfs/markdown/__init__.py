"""Lossless Markdown: frontmatter, sections, blocks, and edits by line. Pure: text in, text out."""

from memfs.markdown.document import Block, Document, Section, decode_document, parse_document
from memfs.markdown.edits import KEEP_BOX, remove_block, replace_block
from memfs.markdown.escape import clean_line, escape_heading, escape_line, fold_line
from memfs.markdown.frontmatter import Frontmatter, Problem
from memfs.markdown.headers import new_document, quote_value, set_frontmatter, set_title
from memfs.markdown.inline import Link, links, plain_text
from memfs.markdown.inserts import find_section, insert_after, insert_item, insert_paragraph, remove_section

__all__ = [
    "KEEP_BOX",
    "Block",
    "Document",
    "Frontmatter",
    "Link",
    "Problem",
    "Section",
    "clean_line",
    "decode_document",
    "escape_heading",
    "escape_line",
    "find_section",
    "fold_line",
    "insert_after",
    "insert_item",
    "insert_paragraph",
    "links",
    "new_document",
    "parse_document",
    "plain_text",
    "quote_value",
    "remove_block",
    "remove_section",
    "replace_block",
    "set_frontmatter",
    "set_title",
]
