import { type Command, Option } from "commander";
import { flags as operations } from "../../../src/operations/flags.ts";
import { fieldOption } from "../../output/field.ts";
import type { Io } from "../../output/terminal.ts";
import { shorten, shown, table } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { environmentsOption, projectOption } from "../../session/config.ts";
import type { Input } from "../../session/input.ts";
import { listAll } from "../../session/pages.ts";
import type { Session } from "../../session/session.ts";
import { ruleSentence } from "../../../src/flags/rules/rule-words.ts";
import type { FlagDetail } from "./rules.ts";
import { clock } from "../../../src/base/clock.ts";
import { sinceValue } from "../../session/values.ts";
import { payloadOf, stateOf, summaryOf } from "./state.ts";

export function addListCommand(flags: Command, io: Io): void {
  flags
    .command("list")
    .alias("ls")
    .description("list the flags of an environment by name; without -e, of every environment side by side")
    .withOptions(
      projectOption(),
      environmentsOption(),
      new Option("--state <state>", "only flags in this state").choices(["on", "off", "archived"]),
    )
    .option("--tag <tag>", "only flags with this tag")
    .option("--owner <name>", "only flags of this owner")
    .option("--stale", "only flags that look finished, as flags stale lists them")
    .option("--changed <span>", "only flags that changed within this time, such as 7d")
    .addOption(fieldOption())
    .after(`
Archived flags are listed only with --state archived.

With --json and without -e, a flag is an object with slug, description and environments. environments has a member for
each environment, as flags get shows it.

Examples:
  formflag flags list -p shop
  formflag flags list -p shop -e production
  formflag flags list -p shop -e production --tag beta --changed 7d
`)
    .action(action(io, parse, run));
}

/** Without an environment, the flags of all are listed. */
type Values = { project: string; environments: string[] | undefined; filter: Filter };

async function parse(input: Input): Promise<Values> {
  const { environment, ...options } = input.options as { environment?: string[] } & FilterOptions;
  return {
    project: await input.project(),
    environments: environment && [...new Set(environment)],
    filter: filterOf(options),
  };
}

async function run(session: Session, { project, environments, filter }: Values): Promise<void> {
  const [environment, ...others] = environments ?? [];
  if (environment === undefined || others.length > 0)
    return listEverywhere(session, project, environments, filter);
  const all = await flagsOf(session, project, environment, filter);
  await session.print(all, describe(all));
  if (all.length === 0) suggestFirst(session, project, environment);
}

async function flagsOf(
  { client }: Session,
  project: string,
  environment: string,
  { accepts, stale }: Filter,
): Promise<FlagDetail[]> {
  const all = await listAll(client, operations.list, { names: { project, environment } });
  if (!stale) return all.filter(accepts);
  const { stale: operation } = await import("../../../src/operations/stale.ts");
  const found = await client.call(operation.list, { names: { project } });
  const slugs = new Set(found.stale.map(({ slug }) => slug));
  return all.filter((flag) => slugs.has(flag.slug) && accepts(flag));
}

type FilterOptions = { state?: string; tag?: string; owner?: string; stale?: true; changed?: string };

type Filter = { accepts: (flag: FlagDetail) => boolean; stale?: true | undefined };

function filterOf({ state, tag, owner, stale, changed }: FilterOptions): Filter {
  const since = changed === undefined ? null : sinceValue(changed, "--changed", clock.now());
  const accepts = (flag: FlagDetail) =>
    (flag.archived ?? false) === (state === "archived") &&
    (state === undefined || state === "archived" || flag.enabled === (state === "on")) &&
    (tag === undefined || (flag.tags ?? []).includes(tag)) &&
    (owner === undefined || flag.owner === owner) &&
    (since === null || flag.updatedAt >= since);
  return { accepts, stale };
}

function describe(all: FlagDetail[]): string {
  const haveRules = all.some(({ variants }) => variants !== undefined);
  const rows = all.map((flag) => [
    flag.slug,
    stateOf(flag),
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
  filter: Filter,
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
  const rows = all.map(({ slug, environments }) => [
    slug,
    ...names.map((name) => {
      const flag = environments[name];
      return flag ? summaryOf(flag) : "";
    }),
  ]);
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
