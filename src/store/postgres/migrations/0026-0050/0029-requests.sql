-- What a webhook gets in place of a POST of the event: method, headers, whose values are secret, and a template, as JSON.
ALTER TABLE targets ADD COLUMN request TEXT;
