-- The words of each submission, which `searchTerms` of src/forms/search-text.ts finds, each with its form in front of it.
-- The index is derived: it is filled behind the answers and is not part of a backup. Another rule for the words needs a
-- migration that empties it.
CREATE VIRTUAL TABLE submission_search USING fts5 (
  terms,
  content = '',
  columnsize = 0,
  detail = 'none',
  tokenize = 'unicode61 remove_diacritics 2'
);

-- The submissions in the index. The position is their row there, and has the order of their ids. All up to the highest
-- `seq` are in it.
CREATE TABLE submission_positions (
  seq INTEGER PRIMARY KEY REFERENCES submissions (seq) ON DELETE CASCADE,
  position INTEGER NOT NULL UNIQUE
) STRICT;

-- The words of deleted submissions until they are removed from the index, which takes longer than the deletion.
CREATE TABLE search_removals (
  position INTEGER PRIMARY KEY,
  terms TEXT NOT NULL
) STRICT;
