"""Lossless Markdown: frontmatter, sections, blocks, and edits by line. Pure: text in, text out."""
