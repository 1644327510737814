import type { ErrorCode } from "../../../src/base/errors.ts";

/** What an operation answers: `ok`, or the code of its error. */
export type Code = "ok" | ErrorCode;

/** What a flag is in one environment. */
export type Values = { enabled: boolean; payload?: unknown; segment: string | null };

/** A flag in an environment as its history has it. */
export type State = Values & { description: string };

/** A change of a flag: `environment` is null for its deletion, with what it was in each. */
type Entry = { flag: string } & (
  | { environment: string; before: State | null }
  | { environment: null; states: Map<string, State> }
);

type ModelFlag = { description: string; createdAt: number; values: Map<string, Values> };

export type ModelProject = {
  /** Each with its segments, by name. */
  environments: Map<string, { locked: boolean; segments: Map<string, string> }>;
  flags: Map<string, ModelFlag>;
  history: Entry[];
  scheduled: {
    id: string;
    environment: string;
    flag: string;
    enabled: boolean;
    at: number;
    createdAt: number;
  }[];
};

type ModelDelivery = { target: string; status: "queued" | "cancelled" };

export type ModelSubmission = {
  id: string;
  name: string;
  folder: "inbox" | "spam" | "archived";
  read: boolean;
  /** Whether a person moved it to spam. */
  isManual: boolean;
  deliveries: ModelDelivery[];
};

type ModelForm = {
  enabled: boolean;
  most: number | null;
  targets: Map<string, boolean>;
  submissions: ModelSubmission[];
};

/** What the product has to be, in a few maps. */
export type Model = {
  now: number;
  projects: Map<string, ModelProject>;
  forms: Map<string, ModelForm>;
  tokens: Set<string>;
};

export function createModel(now: number): Model {
  return { now, projects: new Map(), forms: new Map(), tokens: new Set() };
}

export const OFF: Values = { enabled: false, segment: null };

export function valuesIn(flag: ModelFlag, environment: string): Values {
  return flag.values.get(environment) ?? OFF;
}

export function isSame(a: unknown, b: unknown): boolean {
  return Bun.deepEquals(a, b);
}

/** An environment of a project; the code of the error if either is missing. */
export function environmentIn(model: Model, project: string, environment: string) {
  const found = model.projects.get(project);
  const place = found?.environments.get(environment);
  return found && place ? { project: found, place } : undefined;
}

/** Changes a flag that passed every check: creates it where it is new, and records what it was. */
export function putFlag(
  model: Model,
  project: ModelProject,
  environment: string,
  flag: string,
  after: State,
): void {
  const known = project.flags.get(flag);
  const before = known ? { ...valuesIn(known, environment), description: known.description } : null;
  const { description, ...values } = after;
  if (before && isSame(before, after)) return;
  const record = known ?? { description, createdAt: model.now, values: new Map() };
  record.description = description;
  record.values.set(environment, values);
  project.flags.set(flag, record);
  project.history.push({ flag, environment, before });
}

export function dropFlag(project: ModelProject, flag: string): void {
  const { description } = project.flags.get(flag)!;
  const states = [...project.environments.keys()].map(
    (each) => [each, { ...valuesIn(project.flags.get(flag)!, each), description }] as const,
  );
  project.flags.delete(flag);
  project.history.push({ flag, environment: null, states: new Map(states) });
}

/** What a flag was before its newest change in an environment; undefined if there was none to take back. */
export function stateBefore(project: ModelProject, environment: string, flag: string): State | undefined {
  const entry = project.history.findLast(
    (each) => each.flag === flag && (each.environment === null || each.environment === environment),
  );
  if (!entry) return undefined;
  if (entry.environment === null) return entry.states.get(environment);
  return entry.before ?? { ...OFF, description: project.flags.get(flag)?.description ?? "" };
}

/** A submission of any form by its number among all, in the order of the forms; undefined if there is none. */
export function submissionAt(model: Model, number: number): ModelSubmission | undefined {
  const all = [...model.forms.values()].flatMap(({ submissions }) => submissions);
  return all[number % Math.max(all.length, 1)];
}

export function formOf(model: Model, submission: ModelSubmission): ModelForm {
  return [...model.forms.values()].find(({ submissions }) => submissions.includes(submission))!;
}

/** A target of any form by its number among all; undefined if there is none. */
export function targetAt(model: Model, number: number): { form: ModelForm; id: string } | undefined {
  const all = [...model.forms.values()].flatMap((form) =>
    [...form.targets.keys()].map((id) => ({ form, id })),
  );
  return all[number % Math.max(all.length, 1)];
}
