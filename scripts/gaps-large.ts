import {
  type Context,
  type Scenario,
  KB,
  admin,
  applied,
  download,
  fill,
  many,
  rule,
  statusOf,
} from "./gaps-client.ts";

/** Flags of an environment, by the name of its project: nearly as large as they can be, or very many. */
const CONTENTS: Record<string, { count: number; entry: (index: number) => object }> = {
  payloads: {
    count: 62,
    entry: () => ({ enabled: true, payload: Array.from({ length: 85_000 }, () => []) }),
  },
  objects: { count: 76, entry: () => ({ enabled: true, payload: many(15_000, (i) => i) }) },
  previews: {
    count: 270,
    entry: (i) => ({ isPreview: true, previewContent: `${i} ${fill("&*a* ", 60 * KB)}` }),
  },
  rules: {
    count: 94,
    entry: () => rule({ in: [{ var: "a" }, Array.from({ length: 19_000 }, (_, i) => `v${i}`)] }),
  },
  flags: { count: 60_000, entry: () => ({ enabled: true }) },
};

const keysOf = async (context: Context, project: string): Promise<Record<string, string>> => {
  const { answer } = await admin(context, "GET", `/projects/${project}`);
  const { key, environments } = JSON.parse(answer) as {
    key: string;
    environments: { slug: string; key: string }[];
  };
  const environment = environments.find(({ slug }) => slug === "production")!.key;
  return { "x-project-key": key, "x-environment-key": environment, "content-type": "application/json" };
};

/** A change of one flag, then a read by a client. */
const readAfterChange = (project: string, path: string, body?: object) => async (context: Context) => {
  const headers = await keysOf(context, project);
  const changed = await statusOf(context, "PATCH", `/projects/${project}/environments/production/flags/k0`, {
    description: crypto.randomUUID(),
  });
  const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const response = await fetch(`${context.url()}${path}`, { headers, ...init });
  return `${changed} ${response.status} ${(await response.text()).length}`;
};

export const large: Scenario[] = Object.entries(CONTENTS).flatMap(([project, { count, entry }]) => {
  const promotion = { from: "production" };
  const path = `/projects/${project}/environments`;
  const work: Record<string, Scenario["work"]> = {
    apply: (context) =>
      applied(context, {
        [project]: {
          environments: { production: {}, staging: {} },
          flags: many(count, (i) => ({ environments: { production: entry(i) } })),
        },
      }),
    "all flags": readAfterChange(project, "/api/v1/flags"),
    "one flag": readAfterChange(project, "/api/v1/flags/k0"),
    previews: readAfterChange(project, "/api/v1/flags/preview"),
    "OFREP, all flags": readAfterChange(project, "/ofrep/v1/evaluate/flags", {
      context: { targetingKey: "a", a: "v7" },
    }),
    "list of flags": (context) => download(context, `${path}/production/flags?limit=10000`),
    "export as a document": (context) => download(context, `/export?project=${project}`),
    "export for flagd": (context) => download(context, `${path}/production/flagd`),
    "a copy": (context) =>
      statusOf(context, "POST", path, { slug: "copy", name: "Copy", from: "production" }),
    "a promotion, only shown": (context) =>
      statusOf(context, "POST", `${path}/staging/promote`, { ...promotion, dryRun: true }),
    "a promotion": (context) => statusOf(context, "POST", `${path}/staging/promote`, promotion),
    history: (context) => download(context, `/projects/${project}/history?limit=100`),
    "unread flags": (context) => download(context, `/projects/${project}/stale`),
    deletion: (context) => statusOf(context, "DELETE", `${path}/copy`),
  };
  return Object.entries(work).map(([name, run]) => ({
    name: `an environment with ${project}: ${name}`,
    work: run,
  }));
});
