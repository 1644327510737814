import type { Form } from "../../../forms/form.ts";
import type { SnippetKind } from "../../forms/snippets/snippet.ts";
import { sentence } from "../error-page.tsx";
import { Card } from "../parts/card.tsx";
import { Notice } from "../parts/status.tsx";

export type Snippet = { kind: SnippetKind; text: string; notes: string[] };

const TITLES: Record<SnippetKind, string> = {
  html: "HTML form",
  fetch: "HTML form with a script",
  curl: "curl",
};

/** Code that sends to a form. */
export function Snippets({ form, snippets }: { form: Form; snippets: Snippet[] }) {
  return (
    <Card id="snippets" title="Code for your site">
      {snippets.map(({ kind, text, notes }) => (
        <details open={kind === "html"}>
          <summary>{TITLES[kind]}</summary>
          <div class="stack">
            {notes.map((note) => (
              <Notice>
                <p>{sentence(note)}</p>
              </Notice>
            ))}
            <pre id={`snippet-${kind}`} tabindex={0} aria-label={`${TITLES[kind]} for ${form.slug}`}>
              {text}
            </pre>
            <div class="buttons scripted-only">
              <button type="button" class="button" data-copy={`#snippet-${kind}`}>
                Copy
              </button>
            </div>
          </div>
        </details>
      ))}
    </Card>
  );
}
