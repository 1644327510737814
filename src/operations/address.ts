import type { Operation } from "./operation.ts";

/** Parameters of a URL. What is undefined is left out; a list is given several times. */
export type Query = Record<string, string | number | readonly string[] | undefined>;

/** The address of a call behind `ADMIN_PATH`. */
export function addressOf(
  { path }: Pick<Operation, "path">,
  names: Record<string, string> = {},
  query: Query = {},
): string {
  const named = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(names[name]!));
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const each of [value].flat()) if (each !== undefined) parameters.append(name, String(each));
  return parameters.size === 0 ? named : `${named}?${parameters.toString()}`;
}
