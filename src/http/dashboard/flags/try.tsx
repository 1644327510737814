import { AppError } from "../../../base/errors.ts";
import { isObject } from "../../../base/json.ts";
import type { FlagPatch } from "../../../flags/flag.ts";
import type { Context } from "../../../flags/flagd/evaluate.ts";
import { type FlagState, flagState } from "../../../flags/history.ts";
import { type Trial, tryChange } from "../../../flags/reads/evaluations.ts";
import { sentence } from "../error-page.tsx";
import { parseJson } from "../json-text.ts";
import { Diff } from "../parts/diff.tsx";
import { AreaField } from "../parts/field.tsx";
import { Button } from "../parts/link.tsx";
import { Badge } from "../parts/status.tsx";
import { Table } from "../parts/table.tsx";
import { Code } from "./flag-facts.tsx";
import { type Act, patched } from "./setting.tsx";

/** Typed contexts, with the flag's value for each now and after saving. */
export type Tried = {
  contexts: string;
  fault?: string | undefined;
  results?: { trials: readonly Trial[]; before: FlagState; after: FlagState } | undefined;
};

const EXAMPLE = '{"targetingKey": "ann", "email": "ann@example.com"}';

/** Tries what the form holds, which is not stored. */
export function TryFields({ tried }: { tried: Tried | undefined }) {
  return (
    <fieldset id="try">
      <legend>Try it first</legend>
      <AreaField
        name="contexts"
        label="Contexts"
        hint={
          <>
            What is known of a reader, as JSON, a line for each, such as <code>{EXAMPLE}</code>.
          </>
        }
        value={tried?.contexts ?? "{}"}
        rows={4}
        code
        error={tried?.fault}
      />
      <p class="buttons">
        <Button name="act" value="try">
          Try
        </Button>
        <span class="soft">Nothing is saved.</span>
      </p>
      {tried?.results && <Results results={tried.results} />}
    </fieldset>
  );
}

function Results({ results: { trials, before, after } }: { results: NonNullable<Tried["results"]> }) {
  return (
    <div class="stack" id="results">
      <Table
        caption="What readers get, now and after saving"
        columns={[
          { label: "Context", heading: true, cell: ({ context }) => <Code text={JSON.stringify(context)} /> },
          { label: "Now", cell: ({ now }) => <OutcomeText outcome={now} /> },
          {
            label: "After saving",
            cell: ({ now, after }) => (
              <>
                <OutcomeText outcome={after} />{" "}
                {Bun.deepEquals(now, after) ? <Badge>same</Badge> : <Badge tone="warn">differs</Badge>}
              </>
            ),
          },
        ]}
        rows={trials}
      />
      <h3>What saving changes</h3>
      <Diff before={before} after={after} />
    </div>
  );
}

const REASONS: Record<string, string> = {
  STATIC: "for everybody",
  TARGETING_MATCH: "by the rule",
  DEFAULT: "by default",
  DISABLED: "the flag is off",
};

function OutcomeText({ outcome }: { outcome: Trial["now"] }) {
  if ("errorCode" in outcome) return <Code text={outcome.errorDetails} />;
  const { value, variant, reason } = outcome;
  return (
    <>
      {value === undefined ? "no value" : <Code text={JSON.stringify(value)} />}{" "}
      <span class="soft small">
        {variant !== undefined && value !== undefined && `variant ${variant}, `}
        {REASONS[reason] ?? reason}
      </span>
    </>
  );
}

/** Evaluates a patched flag for each typed context. */
export async function tryPatch(
  { dashboard: { app }, caller, setting }: Act,
  typed: string | undefined,
  patch: FlagPatch,
): Promise<Tried> {
  const contexts = typed?.trim() || "{}";
  const parsed: Context[] = [];
  for (const [index, line] of contexts.split("\n").entries()) {
    if (line.trim() === "") continue;
    const { value, fault } = parseJson(line) as { value?: unknown; fault?: string };
    if (fault !== undefined || !isObject(value)) {
      const what = fault ?? "in line 1: a context is an object in braces";
      return { contexts, fault: sentence(what.replace(/^in line 1/, `in line ${index + 1}`)) };
    }
    parsed.push(value);
  }
  try {
    const trials = await tryChange(app, caller, setting.place, patch, parsed);
    const after = flagState(patched(setting.record, patch, app.now()));
    return { contexts, results: { trials, before: flagState(setting.record), after } };
  } catch (error) {
    if (!(error instanceof AppError) || (error.code !== "invalid" && error.code !== "too_large")) throw error;
    return { contexts, fault: sentence(error.message) };
  }
}
