/** The format of the names of projects, environments, flags, segments, forms, tokens and users. */
export const SLUG = /^[A-Za-z0-9][A-Za-z0-9._-]{0,149}$/;

/** Returns why a text is not a valid name of a `noun`, or undefined if it is. */
export function findSlugFault(
  noun: string,
  text: string,
  reserved: readonly string[] = [],
): string | undefined {
  if (!SLUG.test(text))
    return `${withArticle(noun)} is named by 1 to 150 letters, digits, dots, dashes or underscores, starting with a letter or digit`;
  if (reserved.includes(text)) return `this name is reserved: choose another for the ${noun}`;
  return undefined;
}

export function withArticle(noun: string): string {
  // The u of a user is a consonant.
  return `${/^[aeio]/.test(noun) ? "an" : "a"} ${noun}`;
}
