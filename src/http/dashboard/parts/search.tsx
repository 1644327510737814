import { addressOf, useView } from "../view.ts";
import { Button } from "./link.tsx";

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
