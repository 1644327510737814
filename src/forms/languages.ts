/** The languages of the built-in pages (BCP 47). */
export const LANGUAGES = ["en", "de", "fr", "es", "pt", "it", "nl", "pl", "ja", "zh"] as const;

export type Language = (typeof LANGUAGES)[number];
