import type { Child } from "../markup.ts";
import type { Environment } from "../../../projects/environment.ts";
import { MayChange } from "./confirm.tsx";
import { counted } from "./text.tsx";
import { Danger } from "./danger.tsx";
import { Diff } from "./diff.tsx";
import { Card } from "./card.tsx";
import { Notice } from "./status.tsx";

/** Changes that a page shows. */
const SHOWN = 50;

/** Changes before they are made, a card each; `id` names the heading of one. */
export function Changes({
  changes,
  noun,
}: {
  changes: readonly { title: Child; id?: string; before: unknown; after: unknown }[];
  noun?: string;
}) {
  const rest = changes.length - SHOWN;
  return (
    <>
      {changes.slice(0, SHOWN).map(({ title, id, before, after }) => (
        <Card id={id} title={title}>
          <Diff before={before} after={after} />
        </Card>
      ))}
      {rest > 0 && <p class="soft">And {noun ? counted(rest, noun) : rest.toLocaleString("en")} more.</p>}
    </>
  );
}

/**
 * The form that makes planned changes, for those who may change all of these environments; `nothing` is shown in its place
 * if it changes nothing.
 */
export function Plan({
  nothing,
  environments = [],
  ...form
}: { nothing?: string | false; environments?: readonly Environment[] } & Parameters<typeof Danger>[0]) {
  if (nothing)
    return (
      <Notice>
        <p>{nothing}</p>
      </Notice>
    );
  return (
    <MayChange environments={environments}>
      <Danger kind="primary" class="stack narrow" {...form} />
    </MayChange>
  );
}
