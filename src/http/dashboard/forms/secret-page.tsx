import type { Page } from "../page.tsx";
import { ButtonLink, CopyButton } from "../parts/link.tsx";
import { Notice } from "../parts/status.tsx";
import { formPath } from "../paths.ts";

/** Shows the secret of a webhook, this one time. */
export function secretPage(slug: string, secret: string): Page {
  return {
    title: `Secret of a target of ${slug}`,
    section: "forms",
    isSecret: true,
    back: { to: formPath(slug), label: slug },
    content: (
      <div class="stack narrow">
        <Notice tone="warn">
          <p>This secret is shown this one time. Store it where the webhook checks the signatures.</p>
        </Notice>
        <pre id="secret" tabindex={0}>
          {secret}
        </pre>
        <div class="buttons">
          <CopyButton of="#secret" />
          <ButtonLink to={formPath(slug)} kind="primary">
            Done
          </ButtonLink>
        </div>
      </div>
    ),
  };
}
