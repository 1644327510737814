import type { Form } from "../../../forms/form.ts";
import { sentence } from "../error-page.tsx";
import type { Page } from "../page.tsx";
import { quoted } from "../parts/commands.tsx";
import { TextField } from "../parts/field.tsx";
import { Button, ButtonLink, Form as PostForm } from "../parts/link.tsx";
import { Notice } from "../parts/status.tsx";
import { formPath } from "../paths.ts";

export function deletePage({ slug }: Form, error?: string): Page {
  return {
    title: `Delete form ${slug}`,
    section: "forms",
    back: { to: formPath(slug), label: slug },
    commands: [{ label: "The same", text: `formflag forms delete ${quoted(slug)} --yes` }],
    content: (
      <PostForm to={`${formPath(slug)}/delete`} class="stack narrow card" id="delete-form">
        <Notice tone="bad" title={`This deletes ${slug} with all its submissions and files.`}>
          <p>Pages that post to it get an error from then on. An export is the last chance to keep them.</p>
        </Notice>
        <TextField name="name" label={`Type ${slug} to confirm`} error={error && sentence(error)} required />
        <div class="buttons">
          <Button kind="danger" icon="trash">
            {`Delete ${slug}`}
          </Button>
          <ButtonLink to={`/inbox/${encodeURIComponent(slug)}/export`} icon="download">
            Export first
          </ButtonLink>
        </div>
      </PostForm>
    ),
  };
}
