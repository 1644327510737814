import type { Child, PropsWithChildren } from "../markup.ts";

/** A part of a page with its heading. */
export function Card({ id, title, children }: PropsWithChildren<{ id: string | undefined; title: Child }>) {
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

/** Facts about one thing, each a name and a value. */
export function Facts({
  facts,
  class: className = "down",
}: {
  class?: string;
  facts: readonly (readonly [name: string, value: Child] | null | false)[];
}) {
  return (
    <dl class={`facts ${className}`}>
      {facts.map(
        (fact) =>
          fact && (
            <div>
              <dt>{fact[0]}</dt>
              <dd>{fact[1]}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

/** Message of an empty list, with the first step. */
export function Empty({ title, children }: { title: string; children?: Child }) {
  return (
    <div class="empty">
      <p class="title">{title}</p>
      {children}
    </div>
  );
}
