/** A text that begins with a capital letter. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A text as a sentence, with a capital letter and a full stop: messages of errors have neither. */
export function sentence(text: string): string {
  const words = capital(text);
  return /[.!?]$/.test(words) ? words : `${words}.`;
}
