import type { Child, PropsWithChildren } from "../markup.ts";
import { Icon } from "./icon.tsx";

/** A setting as a sentence in a row, with the fields that change it behind "Change". It belongs in a card with `rows`. */
export function Fold({
  name,
  sentence,
  act = "Change",
  isOpen = false,
  id,
  children,
}: PropsWithChildren<{
  name: Child;
  sentence: Child;
  /** Null for those who may not change it. */
  act?: Child;
  /** Whether it is open from the start, as after a fault in its fields. */
  isOpen?: boolean;
  id?: string;
}>) {
  return (
    <details class="fold" id={id} open={isOpen}>
      <summary>
        <span>{name}</span>
        <span>{sentence}</span>
        <span class="change">{act}</span>
      </summary>
      {children}
    </details>
  );
}

/** Seldom actions behind "⋯": its children are `li`, each with a link or a form of one button. */
export function Menu({ label = "More", children }: PropsWithChildren<{ label?: string }>) {
  return (
    <details class="menu" name="menu">
      <summary class="button" aria-label={label}>
        <Icon name="ellipsis" />
      </summary>
      <ul>{children}</ul>
    </details>
  );
}
