import type { Child } from "../markup.ts";
import type { Page } from "../page.tsx";
import { ButtonLink, CopyButton } from "./link.tsx";

/** A page that shows a secret this one time; `id` names its text, and `shown` is another way to take it, such as a QR code. */
export function secretPage({
  id,
  secret,
  about,
  shown,
  ...page
}: { id: string; secret: string; about: Child; shown?: Child; back: { to: string; label: string } } & Pick<
  Page,
  "title" | "section" | "commands"
>): Page {
  return {
    ...page,
    isSecret: true,
    content: (
      <div class="stack narrow">
        {about}
        <pre id={id} tabindex={0}>
          {secret}
        </pre>
        {shown}
        <div class="buttons">
          <CopyButton of={`#${id}`} />
          <ButtonLink to={page.back.to} kind="primary">
            Done
          </ButtonLink>
        </div>
      </div>
    ),
  };
}
