import { shortName } from "../../../access/place.ts";
import { stateOf } from "../../../forms/intake/opening.ts";
import type { SnippetKind } from "../../forms/snippets/snippet.ts";
import { sentence } from "../../../base/shapes/words.ts";
import type { Page } from "../page.tsx";
import { Menu } from "../parts/fold.tsx";
import { A, ButtonForm, ButtonLink, CopyButton } from "../parts/link.tsx";
import { Seg } from "../parts/seg.tsx";
import { Badge, Notice } from "../parts/status.tsx";
import { Foreign, counted } from "../parts/text.tsx";
import { formPath, inboxPath } from "../paths.ts";
import { useMayWriteForms } from "../view.ts";
import { FieldsCard, Tiles } from "./form-numbers.tsx";
import { type Refused, SettingsCard } from "./form-settings.tsx";
import type { FormShown } from "./form-shown.ts";
import { FormTabs } from "./form-tabs.tsx";
import { crumbsOf, namedForm } from "./form-words.ts";

/** Rows of the settings that are open: all of them, or that of feeds; null for none. */
export type Open = "all" | "feeds" | null;

const TITLES = { all: "Settings of form", feeds: "Feeds of form" } as const;

/** The page of a form: its numbers, what happens to a submission, its code and its fields. */
export function formPage(shown: FormShown, open: Open = null, refused: Refused | null = null): Page {
  const { form, now } = shown;
  const state = stateOf(form, now);
  const [slug, options] = namedForm(form);
  return {
    title: `${open === null ? "Form" : TITLES[open]} ${form.slug}`,
    heading: <Foreign text={form.name} />,
    section: "forms",
    topics: ["setup", "submissions"],
    crumbs: crumbsOf(shown),
    badges: <Badge tone={state.startsWith("open") ? "good" : "warn"}>{state}</Badge>,
    actions: <Actions {...shown} />,
    commands: [
      ["Show the form", "forms get", slug, options],
      ["Its numbers", "forms stats", slug, options],
      ["Change a setting", "forms set", slug, { ...options, "rate-limit": "20/h" }],
      ["Add a target", "targets add", slug, "https://example.com/hook", options],
      [
        "Create a feed",
        "feeds create",
        slug,
        { ...options, format: "csv", field: "name,email", since: "30d" },
      ],
      ["Print a snippet", "forms snippet", slug, { ...options, kind: "html" }],
    ],
    content: (
      <>
        <FormTabs form={form} current="Overview" />
        <Tiles {...shown} />
        <div class="split two">
          <SettingsCard shown={shown} open={open} refused={refused} />
          <CodeCard {...shown} />
        </div>
        <FieldsCard {...shown} />
      </>
    ),
  };
}

function Actions({ form, unread }: FormShown) {
  const mayChange = useMayWriteForms(form.project);
  const to = formPath(shortName(form));
  return (
    <>
      <ButtonLink to={inboxPath(shortName(form))} icon="inbox" kind="primary">
        {unread > 0 ? `Inbox, ${unread.toLocaleString("en")} unread` : "Inbox"}
      </ButtonLink>
      {mayChange && (
        <Menu>
          <li>
            <ButtonForm to={`${to}/test`}>Send a test</ButtonForm>
          </li>
          <li>
            <ButtonForm to={`${to}/state`} values={{ enabled: String(!form.enabled) }}>
              {form.enabled ? "Close the form" : "Open the form"}
            </ButtonForm>
          </li>
          <li>
            <A to={`${to}/copy`}>Copy…</A>
          </li>
          <li>
            <A to={`${to}/move`}>Move to another project…</A>
          </li>
          <li>
            <A to={`${to}/delete`}>Delete…</A>
          </li>
        </Menu>
      )}
    </>
  );
}

const LABELS: Record<SnippetKind, string> = { html: "HTML", fetch: "Script", curl: "curl" };
const NAMES: Record<SnippetKind, string> = {
  html: "HTML form",
  fetch: "HTML form with a script",
  curl: "curl",
};

/** Code that sends to a form, of which one kind is shown. */
function CodeCard({ form, url, page, snippets, stats: { pages, sample } }: FormShown) {
  return (
    <section class="card code" aria-labelledby="use">
      <div class="title">
        <h2 id="use">Put it on your site</h2>
      </div>
      <fieldset>
        <legend class="unseen">Kind of code</legend>
        <Seg
          name="code"
          value="html"
          options={[["link", "Link"], ...snippets.map(({ kind }) => [kind, LABELS[kind]] as const)]}
        />
      </fieldset>
      <div class="stack if-link">
        <p class="small">
          {form.page ? (
            <>
              Its own page: <a href={page}>{page}</a>. Pages of yours post to this address:
            </>
          ) : (
            "Pages of yours post to this address. It has no page of its own."
          )}
        </p>
        <pre id="form-address" tabindex={0} aria-label={`Address of ${form.slug}`}>
          {url}
        </pre>
        <p class="line">
          <CopyButton of="#form-address">Copy the address</CopyButton>
        </p>
      </div>
      {snippets.map(({ kind, text, notes }) => (
        <div class={CODE_CLASSES[kind]}>
          {notes.map((note) => (
            <Notice>
              <p>{sentence(note)}</p>
            </Notice>
          ))}
          <pre id={`snippet-${kind}`} tabindex={0} aria-label={`${NAMES[kind]} for ${form.slug}`}>
            {text}
          </pre>
          <p class="line">
            <CopyButton of={`#snippet-${kind}`} />
          </p>
        </div>
      ))}
      {pages.length > 0 && (
        <p class="small soft" title={`Of the newest ${counted(sample)}`}>
          Sent from here:{" "}
          {pages.slice(0, 4).map(({ page, count }, index) => (
            <>
              {index > 0 && "; "}
              <Foreign text={page} />, {count.toLocaleString("en")}
            </>
          ))}
        </p>
      )}
    </section>
  );
}

const CODE_CLASSES: Record<SnippetKind, string> = {
  html: "stack if-html",
  fetch: "stack if-fetch",
  curl: "stack if-curl",
};
