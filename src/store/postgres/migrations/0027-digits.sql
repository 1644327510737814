-- Numbers are found by the digits that were sent: the submissions with a number that JavaScript writes in another way are
-- indexed again.
UPDATE submissions SET indexed = 0
WHERE indexed = 1 AND data ~ '[:,[:space:][]-?([0-9][0-9.]{15}|[0-9]+[.][0-9]*0([^0-9]|$)|[0-9][0-9.]*[eE]|0[.]0{6})|-0';
