/** Characters of a template for a subject or a text. */
export const MAX_TEMPLATE = 10_000;
