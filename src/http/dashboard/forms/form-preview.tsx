import type { Choice, Input, PageContent } from "../../../forms/intake/input.ts";
import { sentence } from "../error-page.tsx";
import { Foreign } from "../parts/text.tsx";

/** The inputs of a form as people see them, which take nothing; or the reason why there are none. */
export function Preview({ content }: { content: PageContent | string }) {
  return (
    <section class="card stack" aria-label="Preview" id="preview" data-part="preview">
      <h2>Preview</h2>
      {typeof content === "string" ? (
        <p class="soft">
          <Foreign text={sentence(content)} />
        </p>
      ) : (
        <>
          {content.description !== null && (
            <p>
              <Foreign text={content.description} />
            </p>
          )}
          {content.inputs.map((input, index) => (
            <PreviewInput input={input} id={`preview-${index + 1}`} />
          ))}
        </>
      )}
    </section>
  );
}

function PreviewInput({ input, id }: { input: Input; id: string }) {
  const { kind, isRequired, initial } = input;
  const [value = ""] = initial;
  const described = input.hint === null ? {} : { "aria-describedby": `${id}-hint` };
  const given = { id, disabled: true, required: isRequired, ...described };
  switch (kind) {
    case "fixed":
      return input.isShown ? (
        <Labelled input={input} id={id}>
          <input {...given} value={value} />
        </Labelled>
      ) : null;
    case "box":
      return (
        <div class="check">
          <input type="checkbox" {...given} checked={value === "true"} />
          <label for={id}>
            <Label input={input} />
          </label>
          <Hint input={input} id={id} />
        </div>
      );
    case "radio":
    case "boxes":
      return <Group input={input} choices={input.choices} id={id} />;
    case "select":
      return (
        <Labelled input={input} id={id}>
          <select {...given}>
            <option value="" />
            {input.choices.map(({ value: each, label }) => (
              <option selected={initial.includes(each)}>{label}</option>
            ))}
          </select>
        </Labelled>
      );
    case "area":
      return (
        <Labelled input={input} id={id}>
          <textarea {...given} rows={4}>{`\n${value}`}</textarea>
        </Labelled>
      );
    case "file":
    case "number":
    case "line":
      return (
        <Labelled input={input} id={id}>
          <input
            {...given}
            type={kind === "line" ? input.type : kind}
            value={kind === "file" ? undefined : value}
          />
        </Labelled>
      );
    default:
      return input satisfies never;
  }
}

function Labelled({ input, id, children }: { input: Input; id: string; children?: unknown }) {
  return (
    <div class="field">
      <label for={id}>
        <Label input={input} />
      </label>
      <Hint input={input} id={id} />
      {children}
    </div>
  );
}

function Group({ input, choices, id }: { input: Input; choices: readonly Choice[]; id: string }) {
  const isHinted = input.hint !== null;
  return (
    <fieldset disabled aria-describedby={isHinted ? `${id}-hint` : undefined}>
      <legend>
        <Label input={input} />
      </legend>
      <Hint input={input} id={id} />
      {choices.map(({ value, label }, index) => (
        <div class="check">
          <input
            type={input.kind === "radio" ? "radio" : "checkbox"}
            id={`${id}-${index + 1}`}
            checked={input.initial.includes(value)}
          />
          <label for={`${id}-${index + 1}`}>
            <Foreign text={label} />
          </label>
        </div>
      ))}
    </fieldset>
  );
}

function Label({ input: { label, isRequired } }: { input: Input }) {
  return (
    <>
      <Foreign text={label} />
      {isRequired && <span aria-hidden="true"> *</span>}
    </>
  );
}

function Hint({ input: { hint }, id }: { input: Input; id: string }) {
  if (hint === null) return null;
  return (
    <p class="hint" id={`${id}-hint`}>
      <Foreign text={hint} />
    </p>
  );
}
