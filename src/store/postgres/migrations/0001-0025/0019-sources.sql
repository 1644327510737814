-- The way by which a change came, such as cli or mcp; null for one before this column.
ALTER TABLE changes ADD COLUMN source TEXT COLLATE "C";
