import type { Scope } from "../access/scope.ts";
import { flagd } from "../operations/flagd.ts";
import { forms } from "../operations/forms.ts";
import { projects } from "../operations/projects.ts";
import { type Api, holdsAny } from "./api.ts";

/** Most resources that a list names; the others are read by their addresses. */
const MAX_LISTED = 200;

const MIME = { mimeType: "application/json" } as const;

const FLAGS = {
  uriTemplate: "formflag://{project}/{environment}/flags",
  name: "flags",
  title: "Flags of an environment",
  description: "The flags and segments of an environment as a flagd file.",
  ...MIME,
};
const SCHEMA = {
  uriTemplate: "formflag://forms/{form}/schema",
  name: "schema",
  title: "Schema of a form",
  description: "The JSON Schema that submissions of a form have to fulfil; null for none.",
  ...MIME,
};

type Resource = { uri: string; name: string; mimeType: string };

export function templatesFor(scopes: readonly Scope[]) {
  return [
    ...(holdsAny(scopes, ["flags:read"]) ? [FLAGS] : []),
    ...(holdsAny(scopes, ["forms:read"]) ? [SCHEMA] : []),
  ];
}

export async function listResources(api: Api, scopes: readonly Scope[]): Promise<Resource[]> {
  const listed: Resource[] = [];
  if (holdsAny(scopes, ["flags:read"])) {
    const { projects: found } = await api(projects.list, {});
    for (const { slug, environments } of found)
      for (const environment of environments)
        listed.push({
          uri: `formflag://${slug}/${environment.slug}/flags`,
          name: `flags of ${slug}/${environment.slug}`,
          ...MIME,
        });
  }
  if (holdsAny(scopes, ["forms:read"])) {
    const { forms: found } = await api(forms.list, {});
    for (const { slug, project } of found)
      listed.push({
        uri: `formflag://forms/${encodeURIComponent(`${project}:${slug}`)}/schema`,
        name: `schema of ${project}:${slug}`,
        ...MIME,
      });
  }
  return listed.slice(0, MAX_LISTED);
}

/** The JSON of a resource; undefined for an address that is none. Throws as its operation does. */
export async function readResource(api: Api, uri: string): Promise<unknown> {
  const [, first, second, last] = /^formflag:\/\/([^/?#]+)\/([^/?#]+)\/(flags|schema)$/.exec(uri) ?? [];
  const [one, two] = [decoded(first), decoded(second)];
  if (one === null || two === null) return undefined;
  if (last === "flags") return api(flagd.export, { names: { project: one, environment: two } });
  if (one !== "forms") return undefined;
  return (await api(forms.get, { names: { form: two } })).schema ?? null;
}

/** A part of an address; null for one that is not a name. */
function decoded(part: string | undefined): string | null {
  if (part === undefined || part.length > 600) return null;
  try {
    const name = decodeURIComponent(part);
    return ["", ".", ".."].includes(name) ? null : name;
  } catch {
    return null;
  }
}
