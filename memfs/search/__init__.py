"""Find memories: chunks of documents, a Tantivy index with vectors beside it, fusion, context for agents.

Import from the modules: `index.SearchIndex`, `embeddings.load_embedder`, `context.assemble_context`.
Nothing heavy is imported before it is used.
"""
