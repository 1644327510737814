import { normalize } from "../base/normalize.ts";

/** Returns whether a text equals one, regardless of case and of how accents are encoded. */
export function equals(wanted: string): (text: string) => boolean {
  const folded = fold(wanted);
  // A text that is equal has at most four times the characters, so that others need not be folded.
  return (text) => text.length <= 4 * folded.length && fold(text) === folded;
}

/** In upper case, which "ß" and "SS" share, and every sigma. */
function fold(text: string): string {
  return normalize(text, "NFC").toUpperCase();
}
