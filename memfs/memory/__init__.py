"""What a memory is: types, ids, policy, routing, drafts, merge.

Pure: text and values in, text and values out.

The public names live in the modules, which import what they need when they need it:

types, registry     memory types and reading them from templates
ids, slugs          ids and hashes of entries, file names
policy, routing     what may be remembered, and whose memory it is
drafts              operations as entries
ledger, marks       what memfs wrote, what must not come back
merge               drafts meet what is on disk
suggestions, removal, undo    the other changes to entries
texts               three-way merge of whole texts
views               entries as they are listed
"""
