import { describeApi } from "../src/http/admin/openapi.ts";
import { ADMIN_PATH } from "../src/operations/operation.ts";
import { code, escaped, tableOf } from "./markdown.ts";

type Schema = {
  $ref?: string;
  type?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  anyOf?: Schema[];
};

type Described = {
  tags: [string];
  summary: string;
  description: string;
  parameters?: { name?: string; in?: string; required?: boolean }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
};

type Api = {
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, Schema> };
};

/** The operations of the admin API, as `/openapi.json` describes them, in a table for each noun. */
export async function apiPage(): Promise<string> {
  const { paths, components } = (await describeApi("", "")) as unknown as Api;
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({ path, method: method.toUpperCase(), described })),
  );
  const sections = [...Map.groupBy(calls, ({ described }) => described.tags[0])].map(([tag, group]) => {
    const rows = group.map(({ path, method, described }) => [
      code(`${method} ${path.replace(ADMIN_PATH, "")}`),
      escaped(described.summary),
      inputOf(described, components.schemas),
      scopeOf(described.description),
    ]);
    return `## ${tag[0]!.toUpperCase()}${tag.slice(1)}\n\n${tableOf(["request", "what it does", "takes", "scope"], rows)}`;
  });
  return `# Operations of the admin API

For people who write programs against the admin API: every operation, below \`${ADMIN_PATH}\`, with what it takes and the scope that its token needs. \`?name\` is a parameter of the query, \`name\` a member of the body; \`name?\` may be left out. \`/openapi.json\` of a server has the types, and the answers. [http.md](http.md#the-admin-api) describes what all operations have in common, such as \`If-Match\`, \`X-Confirm\` and pages of lists.

${sections.join("\n\n")}
`;
}

function inputOf({ parameters = [], requestBody }: Described, schemas: Record<string, Schema>): string {
  const query = parameters.filter((each) => each.in === "query").map(({ name }) => `?${name}`);
  const [media = "", { schema } = {}] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const members = schema === undefined ? [] : membersOf(schema, schemas);
  const body = media !== "" && members.length === 0 ? [media] : members;
  return [query.join(", "), body.join(", ")]
    .filter(Boolean)
    .map((list) => code(list))
    .join("; ");
}

/** The members of an object, or of each object that may be sent in its place. */
function membersOf(schema: Schema, schemas: Record<string, Schema>): string[] {
  const found = schema.$ref === undefined ? schema : schemas[schema.$ref.split("/").at(-1)!]!;
  const options = found.anyOf?.flatMap((each) => membersOf(each, schemas)) ?? [];
  const own = Object.keys(found.properties ?? {}).map((name) =>
    found.required?.includes(name) ? name : `${name}?`,
  );
  return [...new Set([...own, ...options])];
}

function scopeOf(description: string): string {
  if (description.includes("no token")) return "none";
  return [...description.matchAll(/`([^`]+)`/g)].map(([, scope]) => code(scope!)).join(" or ") || "any";
}
