/** Browsers take an answer for what its content type says: https://fetch.spec.whatwg.org/#x-content-type-options-header */
export const NO_SNIFF = { "X-Content-Type-Options": "nosniff" } as const;

/** `Strict-Transport-Security`: browsers come by HTTPS only, for a year (RFC 6797). */
export const HSTS = "max-age=31536000";
