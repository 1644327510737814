import type { Child } from "../markup.ts";
import type { Environment } from "../../../projects/environment.ts";
import { addressOf, useMayChange, useView } from "../view.ts";
import { SelectField } from "./field.tsx";
import type { IconName } from "./icon.tsx";
import { Button, ButtonLink } from "./link.tsx";
import { type Column, Table } from "./table.tsx";

type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** The pages of a list, whose address is `to` with `query`. */
type Pages = {
  to: string;
  query?: Query;
  /** Whether the first page is another one. */
  isLater: boolean;
  /** Query parameters of the next page; null at the end. */
  next: Query | null | false;
  /** Labels of the links: "older" for dates, "next" for names. */
  words?: readonly [first: string, next: string];
  icons?: { first?: IconName; next?: IconName };
};

/** The words for lists that begin with the newest. */
export const BY_AGE = ["Newest", "Older"] as const;

/** Rows from which on a list is searched. */
export const SEARCHED = 10;

/** Links to the start of a list and to what comes behind this page. */
export function Pager({
  to,
  query,
  isLater,
  next,
  words = ["First", "Next"],
  icons: { first, next: later } = {},
}: Pages) {
  if (!isLater && !next) return null;
  return (
    <nav class="pager" aria-label="Pages">
      <span>
        {isLater && (
          <ButtonLink to={to} {...(query && { query })} {...(first && { icon: first })}>
            {words[0]}
          </ButtonLink>
        )}
      </span>
      {next && (
        <ButtonLink to={to} query={{ ...query, ...next }} {...(later && { icon: later })}>
          {words[1]}
        </ButtonLink>
      )}
    </nav>
  );
}

/**
 * A list: what chooses its rows, the rows as a table or as cards, what it says without rows, and its pages. `above` stands
 * over the rows.
 */
export function List<T>({
  filters,
  empty,
  above,
  rows,
  pages,
  ...shape
}: {
  filters?: Child;
  empty: Child;
  above?: Child;
  rows: readonly T[];
  pages?: Pages;
} & (
  | { caption: string; columns: readonly Column<T>[]; keyOf?: (row: T) => string }
  | { card: (row: T) => Child; keyOf: (row: T) => string; class?: string }
)) {
  return (
    <>
      {filters}
      {rows.length === 0 ? (
        empty
      ) : (
        <>
          {above}
          {"columns" in shape ? <Table rows={rows} {...shape} /> : <Cards rows={rows} {...shape} />}
        </>
      )}
      {pages && <Pager {...pages} />}
    </>
  );
}

function Cards<T>({
  rows,
  card,
  keyOf,
  class: className,
}: {
  rows: readonly T[];
  card: (row: T) => Child;
  keyOf: (row: T) => string;
  class?: string | undefined;
}) {
  return (
    <ol class="items stack">
      {rows.map((row) => (
        <li class={className} id={keyOf(row)}>
          {card(row)}
        </li>
      ))}
    </ol>
  );
}

/** Chooses an environment; `all` is what no choice is called, left out if one has to be chosen. */
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

/** A field that searches the list of a page, in `q`. */
export function Search(props: { to: string; search: string; label: string; placeholder: string }) {
  const { to, search, label, placeholder } = props;
  return (
    <search>
      <form method="get" action={addressOf(useView(), to)} class="searchbar">
        <label class="unseen" for="search">
          {label}
        </label>
        <input
          type="search"
          id="search"
          name="q"
          value={search}
          placeholder={placeholder}
          aria-keyshortcuts="/"
          maxlength={200}
        />
        <Button icon="search">Search</Button>
      </form>
    </search>
  );
}
