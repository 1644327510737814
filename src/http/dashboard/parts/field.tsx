import type { Child } from "../markup.ts";
import { MAX_WHY } from "../../../access/why.ts";
import { fitsInLine } from "../fields.ts";

type Common = {
  name: string;
  label: string;
  /** Hint below the label. */
  hint?: Child;
  /** Error of the typed value. */
  error?: string | null | undefined;
  /** Distinguishes fields of one name on a page. */
  id?: string | undefined;
  required?: boolean;
};

/** The library takes a boolean for these, and would leave out a false one. */
const AS_WRITTEN: object = { spellcheck: "false", autocapitalize: "off" };

/** Names the texts that describe a field, for those who listen. */
function describedBy(id: string, { hint, error }: Pick<Common, "hint" | "error">): string | undefined {
  const ids = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean);
  return ids.length === 0 ? undefined : ids.join(" ");
}

function Around({
  id,
  label,
  hint,
  error,
  children,
}: Pick<Common, "label" | "hint" | "error"> & { id: string; children?: Child }) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {children}
      {error && (
        <p class="error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}

/** A line of text. */
export function TextField({
  type = "text",
  value,
  autocomplete = "off",
  placeholder,
  pattern,
  autofocus,
  maxlength,
  shortcut,
  suggestions = [],
  ...common
}: Common & {
  type?: "text" | "password" | "email" | "url" | "search" | "number" | "datetime-local" | "date";
  value?: string | number | null | undefined;
  autocomplete?: string;
  placeholder?: string | undefined;
  pattern?: string;
  autofocus?: boolean;
  maxlength?: number;
  /** The key that puts the focus here. */
  shortcut?: string | undefined;
  /** Texts that a browser offers to complete. */
  suggestions?: readonly string[];
}) {
  const { name, id = name, error, required } = common;
  return (
    <Around {...common} id={id}>
      <input
        id={id}
        name={name}
        type={type}
        value={value ?? ""}
        autocomplete={autocomplete}
        placeholder={placeholder}
        pattern={pattern}
        maxlength={maxlength}
        list={suggestions.length > 0 ? `${id}-list` : undefined}
        aria-keyshortcuts={shortcut}
        {...AS_WRITTEN}
        autofocus={autofocus}
        required={required}
        aria-invalid={error ? "true" : undefined}
        aria-describedby={describedBy(id, common)}
      />
      {suggestions.length > 0 && (
        <datalist id={`${id}-list`}>
          {suggestions.map((text) => (
            <option value={text} />
          ))}
        </datalist>
      )}
    </Around>
  );
}

/** Lines of text; `code` shows them in letters of one width. */
export function AreaField({
  value,
  rows = 6,
  code = false,
  shortcut,
  form,
  ...common
}: Common & {
  value?: string | undefined;
  rows?: number;
  code?: boolean;
  shortcut?: string;
  /** The id of the form that it is sent with, if that is not around it. */
  form?: string;
}) {
  const { name, id = name, error, required } = common;
  return (
    <Around {...common} id={id}>
      <textarea
        id={id}
        name={name}
        form={form}
        rows={rows}
        class={code ? "code" : undefined}
        aria-keyshortcuts={shortcut}
        {...(code && AS_WRITTEN)}
        required={required}
        aria-invalid={error ? "true" : undefined}
        aria-describedby={describedBy(id, common)}
      >
        {/* The first line end of a textarea is dropped by the parser. */}
        {`\n${value ?? ""}`}
      </textarea>
    </Around>
  );
}

/** A line of text that may have been given more lines elsewhere, which it keeps. */
export function LineField({ maxlength, ...field }: Common & { value: string; maxlength?: number }) {
  if (!fitsInLine(field.value)) return <AreaField {...field} />;
  return <TextField {...field} {...(maxlength !== undefined && { maxlength })} />;
}

/** One of several values. */
export function SelectField({
  value,
  options,
  ...common
}: Common & { value?: string | undefined; options: readonly { value: string; label: string }[] }) {
  const { name, id = name, error } = common;
  return (
    <Around {...common} id={id}>
      <select
        id={id}
        name={name}
        aria-invalid={error ? "true" : undefined}
        aria-describedby={describedBy(id, common)}
      >
        {options.map((option) => (
          <option value={option.value} selected={option.value === value}>
            {option.label}
          </option>
        ))}
      </select>
    </Around>
  );
}

/** A box to tick. */
export function CheckField({
  name,
  label,
  hint,
  checked = false,
  value = "on",
  id = name,
  fault,
  type = "checkbox",
}: Omit<Common, "error" | "required"> & {
  checked?: boolean;
  value?: string;
  /** A radio is one of several of its name. */
  type?: "checkbox" | "radio";
  /** The id of what is wrong with the boxes of this name. */
  fault?: string | undefined;
}) {
  return (
    <div class="check">
      <input
        type={type}
        id={id}
        name={name}
        value={value}
        checked={checked}
        aria-invalid={fault && "true"}
        aria-describedby={[fault, describedBy(id, { hint })].filter(Boolean).join(" ") || undefined}
      />
      <label for={id}>{label}</label>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** Field for the reason of a change. `id` distinguishes several on a page. */
export function WhyField({ value, id }: { value?: string | null | undefined; id?: string | undefined }) {
  return (
    <TextField name="why" id={id} label="Why" hint="Kept in the history." value={value} maxlength={MAX_WHY} />
  );
}
