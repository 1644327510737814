import { Option } from "commander";
import {
  FLAG_FILTERS,
  FLAG_FILTER_NAMES,
  type FlagFilter,
  type FlagQuery,
} from "../../../src/flags/flag-filters.ts";
import { flags as operations } from "../../../src/operations/flags.ts";
import { shorten, shown, table } from "../../output/text.ts";
import { listAll } from "../../session/pages.ts";
import type { Session } from "../../session/session.ts";
import { ruleSentence } from "../../../src/flags/rules/rule-words.ts";
import type { FlagDetail } from "./rules.ts";
import { clock } from "../../../src/base/clock.ts";
import { sinceValue } from "../../session/values.ts";
import { needsOf, payloadOf, stateOf, summaryOf } from "./state.ts";
import { verb } from "../../session/verb.ts";

export const addListCommand = verb("list ls", {
  description: "list the flags of an environment by name; without -e, of every environment side by side",
  options: [
    "project",
    "environments",
    ...Object.values<FlagFilter>(FLAG_FILTERS).flatMap(({ option, choices }) => {
      if (option === undefined) return [];
      const each = new Option(`--${option[0]}`, option[1]);
      return [choices ? each.choices(choices) : each];
    }),
    "field",
  ],
  help: `
Archived flags are listed only with --state archived.

With --json and without -e, a flag is an object with slug, description and environments. environments has a member for
each environment, as flags get shows it.

Examples:
  formflag flags list -p shop
  formflag flags list -p shop -e production
  formflag flags list -p shop -e production --tag beta --changed 7d
`,
  parse: async (input) => {
    const { environment, ...options } = input.options as { environment?: string[] };
    return {
      project: await input.project(),
      environments: environment && [...new Set(environment)],
      filter: queryOf(options),
    };
  },
  run: async (session, { project, environments, filter }) => {
    const [environment, ...others] = environments ?? [];
    if (environment === undefined || others.length > 0)
      return listEverywhere(session, project, environments, filter);
    const all = await flagsOf(session, project, environment, filter);
    await session.print(all, describe(all));
    if (all.length === 0) suggestFirst(session, project, environment);
  },
});

/** Without an environment, the flags of all are listed. */

function flagsOf(
  { client }: Session,
  project: string,
  environment: string,
  query: FlagQuery,
): Promise<FlagDetail[]> {
  return listAll(client, operations.list, { names: { project, environment }, query });
}

/** The filters that options describe; archived flags are listed only by their state. */
function queryOf(options: Record<string, string | true>): FlagQuery {
  const { state, changed } = options;
  const given = FLAG_FILTER_NAMES.filter((name) => options[name] !== undefined);
  return {
    ...Object.fromEntries(given.map((name) => [name, String(options[name])])),
    ...(changed !== undefined && { changed: sinceValue(String(changed), "--changed", clock.now()) }),
    ...(state === undefined && { archived: "false" }),
  };
}

function describe(all: FlagDetail[]): string {
  const haveRules = all.some(({ variants }) => variants !== undefined);
  const rows = all.map((flag) => [
    flag.slug,
    shorten((flag.enabled && ruleSentence(flag) !== "" ? "on by rule" : stateOf(flag)) + needsOf(flag), 100),
    ...(haveRules ? [shorten(ruleSentence(flag), 100)] : []),
    shorten(payloadOf(flag), 40),
    flag.expiredAt ?? "never",
    shorten(flag.description, 50),
  ]);
  return table(["FLAG", "STATE", ...(haveRules ? ["RULE"] : []), "PAYLOAD", "EXPIRES", "DESCRIPTION"], rows);
}

type FlagEverywhere = { slug: string; description: string; environments: Record<string, FlagDetail> };

/** Lists the flags of some environments side by side, or of all. */
async function listEverywhere(
  session: Session,
  project: string,
  some: string[] | undefined,
  filter: FlagQuery,
): Promise<void> {
  const names = some ?? (await allOf(session, project));
  const bySlug = new Map<string, FlagEverywhere>();
  for (const environment of names) {
    for (const flag of await flagsOf(session, project, environment, filter)) {
      const { slug, description } = flag;
      const everywhere = bySlug.get(slug) ?? { slug, description, environments: {} };
      everywhere.environments[environment] = flag;
      bySlug.set(slug, everywhere);
    }
  }
  const all = [...bySlug.values()];
  const rows = await Promise.all(
    all.map(async ({ slug, environments }) => {
      const summaries = names.map(async (name) => {
        const flag = environments[name];
        return flag ? summaryOf(flag) : "";
      });
      return [slug, ...(await Promise.all(summaries))];
    }),
  );
  await session.print(all, table(["FLAG", ...names], rows));
  if (all.length === 0) suggestFirst(session, project, names[0] ?? "<environment>");
}

async function allOf({ client }: Session, project: string): Promise<string[]> {
  const { environments: operation } = await import("../../../src/operations/environments.ts");
  const { environments } = await client.call(operation.list, { names: { project } });
  return environments.map(({ slug }) => slug);
}

function suggestFirst(session: Session, project: string, environment: string): void {
  session.suggest(shown`No flags yet. Next: formflag flags set <flag> -p ${project} -e ${environment} --on`);
}
