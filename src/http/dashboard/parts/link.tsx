import type { Child, PropsWithChildren } from "../markup.ts";
import { addressOf, useView, useMay } from "../view.ts";
import { Icon, type IconName } from "./icon.tsx";
import { projectPath } from "../paths.ts";

type Query = Parameters<typeof addressOf>[2];

/** A link to a page of the dashboard; `to` is its path behind the dashboard's own. */
export function A({
  to,
  query,
  children,
  class: className,
  current,
  label,
  shortcut,
  title,
  hash,
  isElsewhere = false,
}: PropsWithChildren<{
  to: string;
  query?: Query;
  title?: string | undefined;
  /** The id of the part of the page that it leads to. */
  hash?: string | undefined;
  class?: string;
  /** Whether it opens another tab. */
  isElsewhere?: boolean;
  /** Whether it leads to the page that is shown, or to a part of it. */
  current?: "page" | "true" | undefined;
  label?: string | undefined;
  shortcut?: string | undefined;
}>) {
  return (
    <a
      href={addressOf(useView(), to, query) + (hash ? `#${hash}` : "")}
      class={className}
      aria-current={current}
      aria-label={label}
      title={title}
      aria-keyshortcuts={shortcut}
      target={isElsewhere ? "_blank" : undefined}
    >
      {children}
    </a>
  );
}

/**
 * A form that changes something: it posts to `to` behind the dashboard's path, and works without JavaScript. `values` are
 * sent along, unseen.
 */
export function Form({
  to,
  query,
  values = {},
  class: className,
  id,
  label,
  isChanged = false,
  hasFile = false,
  leaves = false,
  children,
}: PropsWithChildren<{
  to: string;
  query?: Query;
  values?: Values;
  class?: string;
  id?: string;
  label?: string;
  /** Whether the form has unsaved input, which an update of the page must keep. */
  isChanged?: boolean;
  /** Whether it sends a file, or as much as one. */
  hasFile?: boolean;
  /** Whether it leads out of the dashboard, so that the browser sends it, and no script. */
  leaves?: boolean;
}>) {
  return (
    <form
      method="post"
      action={addressOf(useView(), to, query)}
      encType={hasFile ? "multipart/form-data" : undefined}
      class={className}
      id={id}
      aria-label={label}
      data-changed={isChanged ? "" : undefined}
      target={leaves ? "_self" : undefined}
    >
      <Hidden values={values} />
      {children}
    </form>
  );
}

/** Names of fields with their values; as pairs if a name comes more than once. */
type Values =
  | Readonly<Record<string, string | number | null | undefined>>
  | readonly (readonly [name: string, value: string])[];

/** Values that a form sends along, unseen; null and undefined are left out. */
export function Hidden({ values }: { values: Values }) {
  return (
    <>
      {(Array.isArray(values) ? values : Object.entries(values)).map(([name, value]) =>
        value === null || value === undefined ? null : (
          <input type="hidden" name={name} value={String(value)} />
        ),
      )}
    </>
  );
}

/** One of a page is `primary`; `danger` leads to what cannot be taken back, and `danger primary` does it; `low` is for a row. */
export type ButtonKind =
  | ""
  | "primary"
  | "danger"
  | "danger primary"
  | "danger low"
  | "quiet"
  | "plain"
  | "plain low"
  | "low";

/** A button that sends the form around it, or the one named by `form`. */
export function Button({
  kind = "",
  icon,
  name,
  value,
  form,
  label,
  shortcut,
  children,
}: {
  kind?: ButtonKind;
  icon?: IconName;
  name?: string | undefined;
  value?: string | undefined;
  form?: string | undefined;
  /** Accessible name, if the text alone is not clear. */
  label?: string | undefined;
  /** The key that presses it. */
  shortcut?: string | undefined;
  children?: Child;
}) {
  return (
    <button
      type="submit"
      class={`button ${kind}`}
      name={name}
      value={value}
      form={form}
      aria-label={label}
      aria-keyshortcuts={shortcut}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** A form that is one button. */
export function ButtonForm({
  to,
  values,
  ...button
}: {
  to: string;
  values?: Readonly<Record<string, string | number | null | undefined>>;
} & Parameters<typeof Button>[0]) {
  return (
    <Form to={to} {...(values && { values })} class="inline">
      <Button {...button} />
    </Form>
  );
}

/** A link that looks like a button. */
export function ButtonLink({
  to,
  query,
  kind = "",
  icon,
  label,
  shortcut,
  hash,
  children,
}: PropsWithChildren<{
  to: string;
  query?: Query;
  kind?: ButtonKind;
  icon?: IconName;
  label?: string;
  shortcut?: string;
  hash?: string;
}>) {
  return (
    <A
      to={to}
      {...(query && { query })}
      class={`button ${kind}`}
      label={label}
      shortcut={shortcut}
      hash={hash}
    >
      {icon && <Icon name={icon} />}
      {children}
    </A>
  );
}

/** A button that copies the text of the element that the selector `of` names. It needs JavaScript, and is unseen without. */
export function CopyButton({ of, children = "Copy" }: { of: string; children?: Child }) {
  return (
    <button type="button" class="button scripted-only" data-copy={of}>
      {children}
    </button>
  );
}

/** Pages of one kind side by side, of which one is shown. */
export function Tabs({
  label,
  tabs,
}: {
  label: string;
  tabs: readonly { to: string; query?: Query; label: Child; isCurrent: boolean }[];
}) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ to, query, label, isCurrent }) => (
        <A to={to} {...(query && { query })} current={isCurrent ? "page" : undefined}>
          {label}
        </A>
      ))}
    </nav>
  );
}

/** The name of a project, as a link if its page may be read. */
export function ProjectLink({ project, children = project }: { project: string; children?: Child }) {
  return useMay("flags:read", { project }) ? <A to={projectPath(project)}>{children}</A> : <>{children}</>;
}
