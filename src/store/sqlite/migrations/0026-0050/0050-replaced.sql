-- SHA-256 of the refresh token that was replaced last; null once one of the tokens that replaced it was used.
ALTER TABLE oauth_grants ADD COLUMN replaced BLOB;
