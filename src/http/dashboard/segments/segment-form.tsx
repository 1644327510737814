import { isObject } from "../../../base/json.ts";
import {
  type Comparison,
  type SegmentRows,
  RULE_TOO_LARGE,
  ruleOfRows,
  rowsOf,
} from "../../../flags/rules/conditions.ts";
import { type GivenSource, SOURCE } from "../../../flags/source-card.ts";
import { namedSource, type SegmentRecord } from "../../../flags/segment.ts";
import { AppError } from "../../../base/errors.ts";
import { type Fields, fitsInLine, textOf } from "../fields.ts";
import { lineOfPointer, parseJson } from "../json-text.ts";
import { AreaField, SelectField } from "../parts/field.tsx";
import { CardFields, givenIn } from "../parts/kind-field.tsx";
import { A, Button } from "../parts/link.tsx";
import { ComparisonFields, RULE_ERROR, faultOfRows, isOfRow, rowsIn } from "../parts/conditions.tsx";

/** A segment in the editor: rows of a rule, its JSON text, or the form that fills it. */
export type RuleDraft = ({ as: "rows" } & SegmentRows) | { as: "json"; text: string } | FormDraft;

/** The texts of the fields of a source; none for one that was not given yet. */
type FormDraft = { as: "form"; texts: Readonly<Record<string, string>> };

const NO_SOURCE: FormDraft = { as: "form", texts: {} };

const BLANK: Comparison = { attribute: "", operator: "==", value: "" };

/** The draft of a new segment. */
const NEW_RULE: RuleDraft = { as: "rows", join: "all", rows: [BLANK] };

/** The draft of a segment that is stored; `as` names the form that is wanted, if it has several. */
export function draftOf(record: SegmentRecord, project: string, as: string | undefined): RuleDraft {
  const { source } = record;
  if (source && (as === undefined || as === "form")) {
    const { attribute, approve, welcome = "", ...named } = namedSource(source, project);
    const texts = { ...named, welcome, attribute: attribute === named.field ? "" : attribute };
    return { as: "form", texts: { ...texts, approve: approve ? "on" : "" } };
  }
  if (as === "form") return NO_SOURCE;
  return source ? NEW_RULE : draftOfRule(JSON.parse(record.rule), as);
}

/** The draft of a new segment in the form that is wanted. */
export function newDraft(as: string | undefined): RuleDraft {
  if (as === "form") return NO_SOURCE;
  return as === "json" ? draftOfRule({}, as) : NEW_RULE;
}

function draftOfRule(rule: unknown, as: string | undefined): RuleDraft {
  const rows = as === "json" ? null : rowsOf(rule);
  const areInLines = rows?.rows.every(({ attribute, value }) => fitsInLine(attribute) && fitsInLine(value));
  return rows === null || !areInLines
    ? { as: "json", text: JSON.stringify(rule, null, 2) }
    : { as: "rows", ...rows };
}

/** A submitted segment: its draft, with what it is to be or the error. */
export type ReadRule = { draft: RuleDraft; rule?: unknown; source?: GivenSource; fault?: string };

function readSource(fields: Fields): ReadRule {
  const texts = Object.fromEntries(Object.keys(SOURCE).map((name) => [name, textOf(fields, name).trim()]));
  const draft: FormDraft = { as: "form", texts };
  const source = { approve: false, ...givenIn(SOURCE, fields, 0) };
  if ([source.form, source.field].includes(undefined!))
    return { draft, fault: "Name the form and its field" };
  return { draft, source };
}

/** Reads the rule of a form. Rows in which nothing was typed are left out. */
export function readRule(fields: Fields): ReadRule {
  if (textOf(fields, "as") === "form") return readSource(fields);
  if (textOf(fields, "as") === "json") {
    const text = textOf(fields, "rule");
    const { value, fault } = { value: undefined, ...parseJson(text) };
    const draft: RuleDraft = { as: "json", text };
    if (fault !== undefined) return { draft, fault };
    if (typeof value === "boolean" || isObject(value)) return { draft, rule: value };
    return { draft, fault: 'A rule is an object such as {"ends_with":[{"var":"email"},"@example.com"]}' };
  }
  const rows = rowsIn(fields, ["attribute", "value"]).map((row) => ({
    ...row,
    operator: row.operator || "==",
  }));
  const join = textOf(fields, "join") === "any" ? "any" : "all";
  const draft: RuleDraft = { as: "rows", join, rows: rows.length === 0 ? [BLANK] : rows };
  try {
    return { draft, rule: ruleOfRows({ join, rows }) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // No single row is at fault.
    if (error.reason === RULE_TOO_LARGE) return { draft, fault: error.message };
    const check = (row: Comparison) => ruleOfRows({ join, rows: [row] });
    return { draft, fault: faultOfRows("condition", error, rows, check) };
  }
}

/** A draft with one more row to fill in. */
export function withRow(draft: RuleDraft): RuleDraft {
  return draft.as !== "rows" ? draft : { ...draft, rows: [...draft.rows, BLANK] };
}

/** Error of a rule or a source, with its line if the message begins with a JSON pointer into the text. */
export function faultOf({ message, errors }: AppError, draft: RuleDraft): string {
  if (errors !== null) return errors[0]!.message;
  const [, pointer, fault] = /^(\/\S*): (.*)$/s.exec(message) ?? [];
  if (pointer === undefined) return message;
  const line = draft.as === "json" ? lineOfPointer(draft.text, pointer) : null;
  return line === null ? `${fault}` : `line ${line}: ${fault}`;
}

/** The field of a source that a fault begins with, such as `welcome: …`; else its form. */
function fieldOf(fault: string): string {
  return Object.keys(SOURCE).find((name) => fault.startsWith(`${name}: `)) ?? "form";
}

/** The fields of a rule. */
export function RuleFields({ draft, fault }: { draft: RuleDraft; fault?: string | undefined }) {
  if (draft.as === "form") {
    const faults = fault === undefined ? {} : { [fieldOf(fault)]: fault.replace(/^\w+: /, "") };
    return (
      <>
        <input type="hidden" name="as" value="form" />
        <CardFields card={SOURCE} typed={{ fields: null, faults }} texts={draft.texts} />
      </>
    );
  }
  if (draft.as === "json")
    return (
      <>
        <input type="hidden" name="as" value="json" />
        <AreaField
          name="rule"
          label="Rule"
          hint="In JSONLogic: true for the users in the segment."
          value={draft.text}
          rows={Math.min(24, Math.max(6, draft.text.split("\n").length + 1))}
          error={fault}
          code
        />
      </>
    );
  const { join, rows } = draft;
  return (
    <fieldset aria-describedby={fault === undefined ? undefined : RULE_ERROR}>
      <legend>Who belongs to it</legend>
      {/* Enter in a field presses the first button of its form, which is not to add a row. */}
      <button type="submit" hidden>
        Save
      </button>
      <input type="hidden" name="as" value="rows" />
      {rows.length > 1 && (
        <SelectField
          name="join"
          label="Those for whom"
          value={join}
          options={[
            { value: "all", label: "all of these hold" },
            { value: "any", label: "any of these holds" },
          ]}
        />
      )}
      {rows.length <= 1 && <input type="hidden" name="join" value={join} />}
      {rows.map((row, at) => (
        <div class="comparison" role="group" aria-label={`Condition ${at + 1}`}>
          <ComparisonFields
            row={row}
            labelOf={(field) => `${field} of condition ${at + 1}`}
            operatorLabel="Operator"
            isWrong={isOfRow(fault, at + 1)}
          />
        </div>
      ))}
      {fault !== undefined && (
        <div class="field">
          <p class="error" id={RULE_ERROR}>
            {fault}
          </p>
        </div>
      )}
      <p class="buttons">
        <Button name="act" value="row" icon="plus">
          Add a condition
        </Button>
        <span class="hint">A condition without attribute and value is left out.</span>
      </p>
    </fieldset>
  );
}

/** Whether conditions in rows can express what is typed. */
function mayBeRows(draft: RuleDraft): boolean {
  if (draft.as !== "json") return true;
  const { value } = { value: undefined, ...parseJson(draft.text) };
  return value !== undefined && draftOfRule(value, "rows").as === "rows";
}

/** Links to the same segment in the other forms of the editor. */
export function OtherForm({
  draft,
  to,
  query,
}: {
  draft: RuleDraft;
  to: string;
  query?: Readonly<Record<string, string>>;
}) {
  const others = [
    { as: "rows", label: "Edit as conditions" },
    { as: "json", label: "Edit as JSON" },
    { as: "form", label: "Let a form fill it" },
  ].filter(({ as }) => as !== draft.as && (as !== "rows" || mayBeRows(draft)));
  return (
    <>
      {others.map(({ as, label }) => (
        <A to={to} query={{ ...query, as }}>
          {label}
        </A>
      ))}
    </>
  );
}
