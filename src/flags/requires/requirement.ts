/** A flag that another one needs, and which of its variants; without these its value is true, or any variant but its default. */
export type Requirement = { flag: string; variants?: string[] | undefined };

/** A flag of an environment that needs others; `requires` is the stored text. */
export type Needing = { slug: string; requires: string };

/** The flags of an environment that need others, without archived ones, and the flags that there are. */
export type Needs = {
  environment: string;
  needing: readonly Needing[];
  /** Whether each needed flag that exists is archived. */
  needed: ReadonlyMap<string, boolean>;
};

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

/** The lines of a text that are not empty, each as a requirement; null for one that names no flag or no variant. */
export function requirementLines(text: string): { line: string; requirement: Requirement | null }[] {
  const lines = text.split("\n").map((each) => each.trim());
  return lines.filter(Boolean).map((line) => ({ line, requirement: requirementIn(line) }));
}

/** The flags that need each flag, by its slug. */
export function neededBy(needing: readonly Needing[]): Map<string, string[]> {
  const users = new Map<string, string[]>();
  for (const { slug, requires } of needing)
    for (const { flag } of requirementsOf(requires)) {
      const known = users.get(flag);
      if (known) known.push(slug);
      else users.set(flag, [slug]);
    }
  return users;
}
