import type * as z from "zod/mini";
import { DEFAULT_PROJECT, type FormPlace } from "../access/place.ts";
import { isoTime } from "../base/clock.ts";
import { createTurns } from "../base/event-loop.ts";
import { designOf } from "../experiments/experiment.ts";
import { settled } from "../experiments/plan.ts";
import { OPTIONAL_NAMES, optionalMembers, type OptionalName, SHARED } from "../flags/flag-fields.ts";
import { type FlagRecord, parsePayload } from "../flags/flag.ts";
import { definitionOf } from "../flags/segment.ts";
import { intentionOf } from "../flags/ramps/ramp-intention.ts";
import { settled as settledRamp } from "../flags/ramps/ramp-plan.ts";
import { parseRules } from "../flags/rules/rules.ts";
import type { FormRecord } from "../forms/form.ts";
import type { differenceSchema, documentSchema } from "./document-schema.ts";
import type { Setup, SetupEnvironment, SetupProject } from "./setup.ts";

/** The desired state of projects, environments, flags, segments and forms. */
export type Document = z.infer<typeof documentSchema>;

export type Difference = z.infer<typeof differenceSchema>;

type DocumentProject = NonNullable<Document["projects"]>[string];
type DocumentFlag = NonNullable<DocumentProject["flags"]>[string];
export type FlagEntry = NonNullable<DocumentFlag["environments"]>[string];

/** The document that describes a setup, made in turns with other work: applied elsewhere, it creates the same setup. */
export async function documentOf({ projects, forms }: Setup, withForms: boolean): Promise<Document> {
  const entries: [string, DocumentProject][] = [];
  for (const project of projects) {
    const own = withForms && project.slug !== DEFAULT_PROJECT ? formsOf(forms, project.slug) : {};
    const hasOwn = Object.keys(own).length > 0;
    entries.push([project.slug, { ...(await projectEntry(project)), ...(hasOwn && { forms: own }) }]);
  }
  return {
    projects: Object.fromEntries(entries),
    ...(withForms ? { forms: formsOf(forms, DEFAULT_PROJECT) } : {}),
  };
}

function formsOf(forms: readonly FormRecord[], project: string): NonNullable<Document["forms"]> {
  const own = forms.filter((form) => form.project === project);
  return Object.fromEntries(own.map((form) => [form.slug, formEntry(form)]));
}

async function projectEntry({ slug, environments, ...settings }: SetupProject): Promise<DocumentProject> {
  const takeTurns = createTurns();
  const flags: [string, DocumentFlag][] = [];
  for (const [index, record] of (environments[0]?.flags ?? []).entries()) {
    flags.push([record.slug, { ...sharedEntry(record), environments: flagEntries(environments, index) }]);
    const turn = takeTurns();
    if (turn !== undefined) await turn;
  }
  return {
    ...settings,
    environments: Object.fromEntries(environments.map((each) => [each.slug, environmentEntry(each, slug)])),
    flags: Object.fromEntries(flags),
  };
}

function environmentEntry(
  { name, color, position, segments, experiments }: SetupEnvironment,
  project: string,
) {
  const open = experiments.map(settled).filter(({ status }) => status !== "ended");
  return {
    name,
    color,
    position,
    segments: Object.fromEntries(segments.map((each) => [each.name, definitionOf(each, project)])),
    ...(open.length > 0 && {
      experiments: Object.fromEntries(open.map((each) => [each.name, designOf(each)])),
    }),
  };
}

/** The values by environment of the flag at `index`, which is the same in the list of every environment. */
export function flagEntries(environments: SetupEnvironment[], index: number): Record<string, FlagEntry> {
  return Object.fromEntries(
    environments.map(({ slug, flags, ramps }) => {
      const record = flags[index]!;
      const found = ramps.get(record.slug);
      const ramp = found && intentionOf(settledRamp(found));
      return [slug, { ...flagEntry(record), ...(ramp && { ramp }) }];
    }),
  );
}

const isShared = (name: OptionalName) => name in SHARED;
const SHARED_OPTIONAL = OPTIONAL_NAMES.filter(isShared);
const OWN_OPTIONAL = OPTIONAL_NAMES.filter((name) => !isShared(name));

/** The fields of a flag that all environments share. */
export function sharedEntry(record: FlagRecord) {
  return { description: record.description, ...optionalMembers(record, SHARED_OPTIONAL) };
}

/** The values of a flag in one environment. A payload that is not set is `{}`, or left out beside variants; so is a preview. */
export function flagEntry(record: FlagRecord): FlagEntry {
  const { enabled, payload: text, expiresAt, rules } = record;
  const expiredAt = expiresAt === null ? null : isoTime(expiresAt);
  const payload = parsePayload(text);
  const optional = optionalMembers(record, OWN_OPTIONAL);
  if (rules === null) return { enabled, payload, expiredAt, ...optional };
  const { variants, defaultVariant, targeting, metadata } = parseRules(rules);
  return {
    enabled,
    ...(text === null ? {} : { payload }),
    variants,
    ...(defaultVariant == null ? {} : { defaultVariant }),
    ...(targeting === undefined ? {} : { targeting }),
    ...(metadata === undefined ? {} : { metadata }),
    expiredAt,
    ...optional,
  };
}

/** The settings of a form; null for one that follows the default. */
export function formEntry({
  project: _project,
  slug: _slug,
  key: _key,
  createdAt: _at,
  updatedAt: _to,
  ...settings
}: FormRecord) {
  return settings;
}

/** The place of a form in a document. */
export function formPathOf({ project, slug }: FormPlace): string {
  return project === DEFAULT_PROJECT ? pathOf("forms", slug) : pathOf("projects", project, "forms", slug);
}

/** A place in a document: `projects.shop.flags["a.b"].environments.production`. */
export function pathOf(...steps: string[]): string {
  return steps
    .map((step) => {
      if (/^\d+$/.test(step)) return `[${step}]`;
      return /^[\w$-]+$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
    })
    .join("")
    .replace(/^\./, "");
}
