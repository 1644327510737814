import { AppError } from "../../../src/base/errors.ts";
import { flags as operations } from "../../../src/operations/flags.ts";
import { isObject } from "../../../src/base/json.ts";
import { splittingAttributes } from "../../../src/flags/rules/shares.ts";
import { Failed } from "../../exit.ts";
import { parseTestContext } from "../../../src/flags/contexts/test-context.ts";
import { details, shown, table } from "../../output/text.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";
import { jsonObject } from "../../session/sources.ts";
import { readPlace } from "./place.ts";
import { planChange, readValues, VALUE_OPTIONS } from "./values.ts";
import { verb } from "../../session/verb.ts";

type Outcome = {
  value?: unknown;
  variant?: string | undefined;
  reason?: string | undefined;
  metadata?: { prerequisite: string } | undefined;
  errorCode?: string | undefined;
  errorDetails?: string | undefined;
};

export const addEvaluateCommand = verb("evaluate", {
  argument: ["[flag]", "slug of the flag, or <flag>.payload"],
  description: "evaluate a flag for a context, now or after a change",
  options: [
    ...VALUE_OPTIONS,
    "project",
    "environment",
    [
      "--context <values>",
      "the values that its rule uses: pairs such as 'plan=pro, country=AT', JSON, @FILE, or - for standard input",
      "{}",
    ],
  ],
  help: `
Shows the value of the flag and the reason for it. With options of flags set, shows the value now and after that change,
without making the change; the flag need not exist. Exits 1 if the rule of the flag cannot be used. If a flag has no
value, readers use their own default.

Examples:
  formflag flags evaluate new-checkout -p shop -e production
  formflag flags evaluate search -p shop -e production --context '{"targetingKey":"ann","email":"ann@example.com"}'
  formflag flags evaluate search -p shop -e production --context plan=pro --if 'plan == pro' --then on
`,
  parse: async (input, given) => {
    const place = await readPlace(input, given);
    const context = await contextOf(String(input.options["context"]), input);
    return { place, context, change: await readValues(input) };
  },
  run: async (session, { place, context, change }) => {
    const { client, print } = session;
    // The payload of a flag is evaluated by a key of its own.
    const flag = place.flag.replace(/\.payload$/, "");
    const { patch } = await planChange(session, { ...place, flag }, change);
    if (Object.keys(patch).length === 0) {
      const result = await client.call(operations.evaluate, { names: place, body: { context } });
      await print(result, describe(result));
      if (session.showsNotes) {
        const { value } = await client.callAt(operations.get, { names: { ...place, flag } });
        if (result.reason === "DEFAULT") noteMissingKey(session, flag, context, value.targeting);
        if (value.archived) (await import("./report.ts")).noteArchived(session, { ...place, flag }, value);
      }
      if (result.errorCode !== undefined) throw new Failed();
      return;
    }
    const body = { contexts: [context], patch };
    const { results } = await client.call(operations.evaluate, { names: place, body });
    const [trial] = results ?? [];
    if (!trial) throw new AppError("unavailable", "this server version cannot preview changes: update it");
    await print(trial, describeTrial(trial));
    if (trial.after.reason === "DEFAULT") noteMissingKey(session, flag, context, patch.targeting);
    if (trial.after.errorCode !== undefined) throw new Failed();
  },
});

/** The value of an attribute such as `user.company`. */
function valueAt(context: unknown, name: string): unknown {
  return name.split(".").reduce((value, step) => (isObject(value) ? value[step] : undefined), context);
}

/** Notes on standard error that a rule with shares needs the attribute that they are by. */
function noteMissingKey(
  { note, showsNotes }: Session,
  flag: string,
  context: Record<string, unknown>,
  targeting: unknown,
): void {
  const missing = splittingAttributes(targeting).find((name) => {
    const value = valueAt(context, name);
    return typeof value !== "string" || value === "";
  });
  if (!showsNotes || missing === undefined) return;
  if (missing !== "targetingKey") {
    const fault =
      valueAt(context, missing) === undefined ? "which the context does not have" : "which has to be a text";
    return note(shown`the rollout of ${flag} is by ${missing}, ${fault}\n`);
  }
  const key = Object.keys(context).find((name) => /^user_?(id|key|name)?$|^id$|^key$/i.test(name));
  const known = key === undefined ? undefined : context[key];
  const example = JSON.stringify({ targetingKey: typeof known === "string" ? known : "ann" });
  note(
    shown`the rollout of ${flag} needs a targetingKey, which the context does not have: --context '${example}'\n`,
  );
}

/** Reads pairs, or JSON. The example in the hint uses a bare word as the targeting key. */
async function contextOf(text: string, input: Input): Promise<Record<string, unknown>> {
  if (/^[^\s=@{[-][^\s=]*\s*=/.test(text)) return parseTestContext(text);
  const key = /^[\w.@+-]+$/.test(text) ? text : "ann";
  // Numbers are rounded by an evaluation anyway.
  return jsonObject(text, "--context", JSON.stringify({ targetingKey: key }), input, { rounded: true });
}

function describeTrial({ now, after }: { now: Outcome; after: Outcome }): string {
  const rows = [
    ["value", valueOf(now), valueOf(after)],
    ["variant", now.variant ?? "none", after.variant ?? "none"],
    ["reason", reasonOf(now), reasonOf(after)],
    ...(now.metadata || after.metadata
      ? [["prerequisite", now.metadata?.prerequisite ?? "", after.metadata?.prerequisite ?? ""]]
      : []),
  ];
  return table(["", "NOW", "AFTER"], rows);
}

function reasonOf({ reason, errorCode, errorDetails }: Outcome): string {
  return errorCode === undefined ? (reason ?? "") : `${errorCode}: ${errorDetails ?? ""}`;
}

function valueOf({ value }: Outcome): string {
  return value === undefined ? "none" : JSON.stringify(value);
}

function describe(outcome: Outcome): string {
  const { variant, reason, errorCode, errorDetails } = outcome;
  if (errorCode !== undefined)
    return details([
      ["error", errorCode],
      ["details", errorDetails ?? ""],
    ]);
  return details([
    ["value", valueOf(outcome)],
    ["variant", variant ?? "none"],
    ["reason", reason ?? ""],
    ...(outcome.metadata ? ([["prerequisite", outcome.metadata.prerequisite]] as const) : []),
  ]);
}
