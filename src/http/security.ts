/** Browsers take an answer for what its content type says: https://fetch.spec.whatwg.org/#x-content-type-options-header */
export const NO_SNIFF = { "X-Content-Type-Options": "nosniff" } as const;
