/** Makes browsers trust the content type of an answer instead of guessing it: https://fetch.spec.whatwg.org/#x-content-type-options-header */
export const NO_SNIFF = { "X-Content-Type-Options": "nosniff" } as const;
