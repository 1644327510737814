import type { Project } from "../../../projects/project.ts";

/** The environments that are chosen at first: into production, if there is one that is called so. */
export function usualPair({ environments }: Project): { from: string; to: string } {
  const slugs = environments.map(({ slug }) => slug);
  const to = slugs.find((slug) => /^(prod|production|live)$/i.test(slug)) ?? slugs.at(-1) ?? "";
  const others = slugs.filter((slug) => slug !== to);
  return { from: others.find((slug) => /^(staging|stage|test)/i.test(slug)) ?? others[0] ?? "", to };
}
