-- Numbers are found by the digits that were sent, and letters with strokes by those without: the submissions with a number
-- that JavaScript writes in another way, with such letters and with domains as `xn--…` are indexed again.
UPDATE submissions SET indexed = 0
WHERE indexed = 1 AND data ~ '[:,[:space:][]-?([0-9][0-9.]{15}|[0-9]+[.][0-9]*0([^0-9]|$)|[0-9][0-9.]*[eE]|0[.]0{6})|-0|[xX][nN]--|[łŁøØđĐħĦŧŦðÐæÆœŒþÞ]|\\u0[01]'
  OR indexed = 1 AND seq IN (SELECT submission_seq FROM files WHERE name ~ '[łŁøØđĐħĦŧŦðÐæÆœŒþÞ]');
