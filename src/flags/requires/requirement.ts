/** A flag that another one needs, and which of its variants; without these its value is true, or any variant but its default. */
export type Requirement = { flag: string; variants?: string[] | undefined };

/** The requirements of a flag from their stored text. */
export function requirementsOf(text: string): Requirement[] {
  return text === "" ? [] : (JSON.parse(text) as Requirement[]);
}

/** Requirements as they are stored: JSON text in their order, or empty for none. */
export function requirementsText(requirements: readonly Requirement[] | null): string {
  if (requirements === null || requirements.length === 0) return "";
  return JSON.stringify(
    requirements.map(({ flag, variants }) => ({
      flag,
      ...(variants && { variants: [...new Set(variants)] }),
    })),
  );
}

/** Requirements as they are typed: `new-cart`, or `new-cart=on,blue` with variants. */
export function requirementTerms(requirements: readonly Requirement[]): string[] {
  return requirements.map(({ flag, variants }) => (variants ? `${flag}=${variants.join()}` : flag));
}

/** A typed requirement; null for a text that names no flag or no variant. */
export function requirementIn(term: string): Requirement | null {
  const at = term.indexOf("=");
  const flag = (at < 0 ? term : term.slice(0, at)).trim();
  if (flag === "") return null;
  if (at < 0) return { flag };
  const variants = term
    .slice(at + 1)
    .split(",")
    .map((each) => each.trim());
  return variants.includes("") ? null : { flag, variants };
}

/** `needs new-cart to be on and search to be a or b`. */
export function requirementsInWords(requirements: readonly Requirement[]): string {
  const all = requirements.map(({ flag, variants = ["on"] }) => `${flag} to be ${variants.join(" or ")}`);
  return all.length === 0 ? "" : `needs ${all.join(" and ")}`;
}
