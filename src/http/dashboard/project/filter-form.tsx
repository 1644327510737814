import type { Child } from "hono/jsx";
import type { Environment } from "../../../projects/environment.ts";
import { Button } from "../parts/link.tsx";
import { SelectField } from "../parts/field.tsx";
import { addressOf, useMayChange, useView } from "../view.ts";

/** A form that chooses what a list shows: its fields become the query of the page. */
export function FilterForm({
  to,
  label,
  act = "Show",
  children,
}: {
  to: string;
  label: string;
  act?: string;
  children?: Child;
}) {
  return (
    <form method="get" action={addressOf(useView(), to)} class="filters" aria-label={label}>
      {children}
      <Button>{act}</Button>
    </form>
  );
}

/** Chooses an environment; `all` is what no choice is called, left out where one has to be chosen. */
export function EnvironmentField({
  environments,
  value,
  name = "environment",
  label = "Environment",
  all,
  error,
}: {
  environments: readonly { slug: string }[];
  value: string | null;
  name?: string;
  label?: string;
  all?: string;
  error?: string | undefined;
}) {
  const options = environments.map(({ slug }) => ({ value: slug, label: slug }));
  const none = all === undefined ? [] : [{ value: "", label: all }];
  return (
    <SelectField
      name={name}
      label={label}
      value={value ?? ""}
      options={[...none, ...options]}
      error={error}
    />
  );
}

/** Selects one of the environments that the person may change. */
export function ChangedEnvironmentField({
  environments,
  value,
}: {
  environments: readonly Environment[];
  value: string | null;
}) {
  const offered = environments.filter((each) => useMayChange([each]));
  return <EnvironmentField environments={offered} value={value} />;
}

/** Links to the start of a list and to what comes behind this page; null where there is nothing. */
export function Pager({ newest, older }: { newest: Child; older: Child }) {
  if (!newest && !older) return null;
  return (
    <nav class="pager" aria-label="Pages">
      <span>{newest}</span>
      <span>{older}</span>
    </nav>
  );
}
