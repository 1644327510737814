import { isObject } from "../../../base/json.ts";
import { type Comparison, type SegmentRows, ruleOfRows, rowsOf } from "../../../flags/rules/conditions.ts";
import { AppError } from "../../../base/errors.ts";
import { type Fields, textOf } from "../fields.ts";
import { lineOfPointer, parseJson } from "../json-text.ts";
import { AreaField, SelectField } from "../parts/field.tsx";
import { A, Button } from "../parts/link.tsx";
import { ComparisonFields, RULE_ERROR, faultOfRows, isOfRow, rowsIn } from "../parts/conditions.tsx";

/** A rule in the editor: rows, or JSON text. */
export type RuleDraft = ({ as: "rows" } & SegmentRows) | { as: "json"; text: string };

const BLANK: Comparison = { attribute: "", operator: "==", value: "" };

/** The draft of a new segment. */
export const NEW_RULE: RuleDraft = { as: "rows", join: "all", rows: [BLANK] };

/** The draft of a rule that is stored; `as` names the form that is wanted, if the rule has both. */
export function draftOf(rule: unknown, as: string | undefined): RuleDraft {
  const rows = as === "json" ? null : rowsOf(rule);
  return rows === null ? { as: "json", text: JSON.stringify(rule, null, 2) } : { as: "rows", ...rows };
}

/** A submitted rule: its draft, with the parsed rule or the error. */
export type ReadRule = { draft: RuleDraft; rule?: unknown; fault?: string };

/** Reads the rule of a form. Rows in which nothing was typed are left out. */
export function readRule(fields: Fields): ReadRule {
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
    const check = (row: Comparison) => ruleOfRows({ join, rows: [row] });
    return { draft, fault: faultOfRows("condition", error, rows, check) };
  }
}

/** A draft with one more row to fill in. */
export function withRow(draft: RuleDraft): RuleDraft {
  return draft.as === "json" ? draft : { ...draft, rows: [...draft.rows, BLANK] };
}

/** Error of a rule, with its line if the message begins with a JSON pointer into the text. */
export function faultOf({ message, errors }: AppError, draft: RuleDraft): string {
  if (errors !== null) return message;
  const [, pointer, fault] = /^(\/\S*): (.*)$/s.exec(message) ?? [];
  if (pointer === undefined) return message;
  const line = draft.as === "json" ? lineOfPointer(draft.text, pointer) : null;
  return line === null ? `${fault}` : `line ${line}: ${fault}`;
}

/** The fields of a rule. */
export function RuleFields({ draft, fault }: { draft: RuleDraft; fault?: string | undefined }) {
  if (draft.as === "json")
    return (
      <>
        <input type="hidden" name="as" value="json" />
        <AreaField
          name="rule"
          label="Rule"
          hint="In JSONLogic: true for those who belong to the segment."
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
        <div class="comparison">
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

/** A link to the same rule in the other form. */
export function OtherForm({
  draft,
  to,
  query,
}: {
  draft: RuleDraft;
  to: string;
  query?: Readonly<Record<string, string>>;
}) {
  return (
    <A to={to} query={{ ...query, as: draft.as === "json" ? null : "json" }}>
      {draft.as === "json" ? "Edit as conditions" : "Edit as JSON"}
    </A>
  );
}
