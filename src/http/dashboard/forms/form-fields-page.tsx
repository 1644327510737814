import { shortName } from "../../../access/place.ts";
import type { Form } from "../../../forms/form.ts";
import { FIELD_TYPES } from "../../../forms/intake/row-types.ts";
import { raw } from "../markup.ts";
import { sentence } from "../../../base/shapes/words.ts";
import type { Page } from "../page.tsx";
import { AreaField, CheckField, SelectField, TextField } from "../parts/field.tsx";
import { Button, Form as PostForm, Hidden } from "../parts/link.tsx";
import { Notice } from "../parts/status.tsx";
import { Foreign, visible } from "../parts/text.tsx";
import { formPath } from "../paths.ts";
import type { FieldRow } from "../../../forms/intake/field-rows.ts";
import type { FieldsDraft, FieldsFaults } from "./form-fields-draft.ts";
import { FormTabs } from "./form-tabs.tsx";
import { crumbsOf, namedForm } from "./form-words.ts";

/** The inputs that a page of these fields has, as far as they are right, in HTML; or the reason why it has none. */
export type FieldsPreview = { description: string | null; inputs: string } | { reason: string };

type Shown = {
  draft: FieldsDraft;
  /** Whether it holds what is not stored. */
  isTyped: boolean;
  faults: FieldsFaults | null;
  /** Why there are no rows. */
  why: string | undefined;
  /** Whether others have saved fields since the page was made. */
  isOverwriting: boolean;
  /** Whether the last row was added now. */
  isAdded: boolean;
  preview: FieldsPreview;
};

/** The page of the fields of a form. */
export function fieldsPage(form: Form, projectName: string, shown: Shown, isRefused: boolean): Page {
  const to = formPath(shortName(form));
  const { draft, isTyped, faults, isOverwriting, preview } = shown;
  const { before } = draft;
  return {
    title: `Fields of form ${form.slug}`,
    heading: <Foreign text={form.name} />,
    section: "forms",
    status: isOverwriting ? 409 : isRefused ? 422 : 200,
    crumbs: crumbsOf({ form, projectName }),
    commands: [
      ["Show them", "forms get", ...namedForm(form), { json: true }],
      ["Set them", "forms set", form.slug, { ...namedForm(form)[1], schema: "@schema.json" }],
      ["Print code with them", "forms snippet", ...namedForm(form)],
    ],
    content: (
      <>
        <FormTabs form={form} current="Fields" />
        <div class="with-preview">
          <PostForm
            to={`${to}/fields`}
            values={{ as: draft.as, before: JSON.stringify(before) }}
            class="card stack"
            id="fields-form"
            label="Fields"
            isChanged={isTyped}
          >
            {/* Enter in a field presses the first button of a form. */}
            <button type="submit" name="act" value="save" class="unseen" tabindex={-1} aria-hidden="true">
              Save
            </button>
            <div class="tabs" role="group" aria-label="Notation">
              <Tab act="rows" label="Rows" isCurrent={draft.as === "rows"} />
              <Tab act="json" label="JSON" isCurrent={draft.as === "json"} />
            </div>
            {isOverwriting && (
              <Notice tone="warn">
                <p>
                  Other fields were saved since you opened the page. Saving again replaces them; Discard shows
                  them.
                </p>
              </Notice>
            )}
            {faults?.whole !== undefined && (
              <Notice tone="bad">
                <p>{sentence(faults.whole)}</p>
              </Notice>
            )}
            {draft.as === "rows" ? (
              <Rows draft={draft} shown={shown} />
            ) : (
              <Json draft={draft} shown={shown} />
            )}
            <p class="buttons save-bar">
              <Button kind="primary" name="act" value="save">
                Save fields
              </Button>
              <Button name="act" value="check">
                Check
              </Button>
              {isTyped && (
                <Button kind="quiet" name="act" value="discard">
                  Discard
                </Button>
              )}
            </p>
          </PostForm>
          <Preview preview={preview} />
        </div>
      </>
    ),
  };
}

/** The inputs of a form as people see them, which take nothing. */
function Preview({ preview }: { preview: FieldsPreview }) {
  return (
    <section class="card stack" aria-label="Preview" id="preview" data-part="preview">
      <h2>Preview</h2>
      {"reason" in preview ? (
        <p class="soft">
          <Foreign text={sentence(preview.reason)} />
        </p>
      ) : (
        <>
          {preview.description !== null && (
            <p>
              <Foreign text={preview.description} />
            </p>
          )}
          <fieldset disabled>{raw(visible(preview.inputs))}</fieldset>
        </>
      )}
    </section>
  );
}

/** A notation of the fields, to which a press takes what was typed. */
function Tab({ act, label, isCurrent }: { act: string; label: string; isCurrent: boolean }) {
  return (
    <button type="submit" name="act" value={act} aria-current={isCurrent ? "true" : undefined}>
      {label}
    </button>
  );
}

function Json({ draft, shown: { why, faults } }: { draft: FieldsDraft & { as: "json" }; shown: Shown }) {
  return (
    <>
      {why !== undefined && (
        <Notice>
          <p>Rows cannot show these fields: {why}.</p>
        </Notice>
      )}
      <AreaField
        name="schema"
        label="JSON Schema"
        hint="Of draft 2020-12; empty for any fields"
        value={draft.text}
        rows={Math.min(40, Math.max(10, draft.text.split("\n").length + 1))}
        error={faults?.json && sentence(faults.json)}
        code
      />
    </>
  );
}

function Rows({
  draft: { base, rows },
  shown: { faults, isAdded },
}: {
  draft: FieldsDraft & { as: "rows" };
  shown: Shown;
}) {
  return (
    <>
      <Hidden values={{ base: JSON.stringify(base), fields: rows.length }} />
      {rows.map((row, index) => (
        <Row
          row={row}
          number={index + 1}
          count={rows.length}
          faults={faults}
          isNew={isAdded && index === rows.length - 1}
        />
      ))}
      <p class="buttons">
        <Button name="act" value="add" icon="plus">
          Add field
        </Button>
      </p>
    </>
  );
}

type RowProps = { row: FieldRow; number: number; count: number; faults: FieldsFaults | null; isNew: boolean };

function Row({ row, number, count, faults, isNew }: RowProps) {
  const named = (field: string) => ({ name: `${field}-${number}`, id: `${field}-${number}` });
  const faultOf = (part: "label" | "choices") => {
    const fault = faults?.rows?.find((each) => each.row === number - 1 && each.part === part);
    return fault && sentence(fault.message);
  };
  const types = row.type === "other" ? [...FIELD_TYPES, row.type] : FIELD_TYPES;
  return (
    <div class="rule field-row" role="group" aria-label={`Field ${number}`}>
      <p class="soft small">
        Field {number}
        {row.name !== "" && (
          <>
            , sent as <code>{row.name}</code>
          </>
        )}
      </p>
      <Hidden values={{ [`name-${number}`]: row.name }} />
      <TextField
        {...named("label")}
        label="Label"
        value={row.label}
        error={faultOf("label")}
        autofocus={isNew}
      />
      <SelectField
        {...named("type")}
        label="Type"
        value={row.type}
        options={types.map((type) => ({ value: type, label: type === "other" ? "as in JSON" : type }))}
      />
      <CheckField {...named("required")} label="Required" checked={row.required} />
      <AreaField
        {...named("choices")}
        label="Choices"
        hint="A line each"
        value={row.choices.join("\n")}
        rows={Math.min(12, Math.max(3, row.choices.length + 1))}
        error={faultOf("choices")}
      />
      <AreaField
        {...named("help")}
        label="Help"
        value={row.help}
        rows={Math.min(6, row.help.split("\n").length)}
      />
      <p class="row-buttons">
        {number > 1 && (
          <Button kind="quiet" name="act" value={`up-${number}`} icon="arrowUp">
            Up
          </Button>
        )}
        {number < count && (
          <Button kind="quiet" name="act" value={`down-${number}`} icon="arrowDown">
            Down
          </Button>
        )}
        <Button kind="quiet" name="act" value={`remove-${number}`} icon="x">
          Remove
        </Button>
      </p>
    </div>
  );
}
