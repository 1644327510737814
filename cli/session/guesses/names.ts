import { own } from "../../../src/base/shapes/own.ts";
import type { Client } from "../client.ts";
import type { Choice } from "../prompts.ts";
import { listAll } from "../pages.ts";

/** Where names are: environments are of a project, flags and segments of an environment; `only` limits forms to a project. */
export type Whereabouts = {
  project?: string | undefined;
  environment?: string | undefined;
  only?: string | undefined;
};

/** Forms whose targets are listed: each takes a request of its own. */
const MAX_FORMS = 50;

const LISTS: Record<string, (client: Client, place: Whereabouts) => Promise<string[]>> = {
  async project(client) {
    const { projects } = await import("../../../src/operations/projects.ts");
    return (await listAll(client, projects.list)).map(({ slug }) => slug);
  },
  async environment(client, { project }) {
    if (project === undefined) return [];
    const { environments } = await import("../../../src/operations/environments.ts");
    return (await listAll(client, environments.list, { names: { project } })).map(({ slug }) => slug);
  },
  async flag(client, { project, environment }) {
    // Every environment has every flag.
    const named = environment ?? (await listNames("environment", client, { project }))[0];
    if (project === undefined || named === undefined) return [];
    const { flags } = await import("../../../src/operations/flags.ts");
    const all = await listAll(client, flags.list, { names: { project, environment: named } });
    return all.map(({ slug }) => slug);
  },
  async segment(client, { project, environment }) {
    if (project === undefined || environment === undefined) return [];
    const { segments } = await import("../../../src/operations/segments.ts");
    return (await listAll(client, segments.list, { names: { project, environment } })).map(
      ({ name }) => name,
    );
  },
  async form(client, { only }) {
    return [...new Set((await formsOf(client, only)).map(({ slug }) => slug))];
  },
  target: async (client, place) => (await targetsOf(client, place)).map(({ id }) => id),
  async token(client) {
    const { tokens } = await import("../../../src/operations/access/tokens.ts");
    return (await listAll(client, tokens.list)).map(({ name }) => name);
  },
  async user(client) {
    const { users } = await import("../../../src/operations/access/users.ts");
    return (await listAll(client, users.list)).map(({ name }) => name);
  },
  async grant(client) {
    const { grants } = await import("../../../src/operations/access/grants.ts");
    return (await listAll(client, grants.list)).map(({ id }) => id);
  },
  async session(client) {
    const { sessions } = await import("../../../src/operations/access/sessions.ts");
    return (await listAll(client, sessions.list)).map(({ id }) => id);
  },
};

/** The names of a kind such as `flag` or `token`, or their ids; empty for another kind, or if the place is not known. */
export async function listNames(kind: string, client: Client, place: Whereabouts = {}): Promise<string[]> {
  return (await own(LISTS, kind)?.(client, place)) ?? [];
}

/** The same for a prompt: targets with where they lead. */
export async function listChoices(kind: string, client: Client, place: Whereabouts = {}): Promise<Choice[]> {
  if (kind !== "target") return listNames(kind, client, place);
  return (await targetsOf(client, place)).map(({ id, target }) => ({ value: id, label: `${id}  ${target}` }));
}

async function targetsOf(client: Client, { only }: Whereabouts) {
  const { targets } = await import("../../../src/operations/targets.ts");
  const forms = (await formsOf(client, only)).slice(0, MAX_FORMS);
  return (
    await Promise.all(forms.map(({ key }) => listAll(client, targets.list, { names: { form: key } })))
  ).flat();
}

async function formsOf(client: Client, project: string | undefined) {
  const { forms } = await import("../../../src/operations/forms.ts");
  return listAll(client, forms.list, { query: { project } });
}
