import { shortName } from "../../../access/place.ts";
import { formatBytes } from "../../../base/bytes.ts";
import { NO_MAIL_SERVER } from "../../../delivery/delivery-status.ts";
import type { Delivery } from "../../../delivery/delivery.ts";
import type { TargetView } from "../../../delivery/target.ts";
import type { Form } from "../../../forms/form.ts";
import { sentence } from "../error-page.tsx";
import type { Page } from "../page.tsx";
import { TextField } from "../parts/field.tsx";
import { A, CopyButton, Button, ButtonForm, ButtonLink, Form as PostForm } from "../parts/link.tsx";
import { StatusBadge } from "../deliveries/delivery-words.tsx";
import { Badge, Notice } from "../parts/status.tsx";
import { Card, Empty, Facts } from "../parts/card.tsx";
import { type Typed, typedAt } from "../parts/submit.ts";
import { TARGET_HINT, TargetTable } from "../parts/targets.tsx";
import { Foreign } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import { useMayWriteForms } from "../view.ts";
import { formPath, inboxPath } from "../paths.ts";
import { FormTabs } from "./form-tabs.tsx";
import { namedForm } from "./form-words.ts";
import { ProjectLink } from "../parts/link.tsx";
import type { SnippetKind } from "../../forms/snippets/snippet.ts";

type Shown = {
  form: Form;
  /** Whether it sends mail, and no mail server is configured. */
  mailWaits: boolean;
  state: string;
  url: string;
  page: string;
  snippets: Snippet[];
  targets: TargetView[];
  /** The newest deliveries to each target, newest first. */
  deliveries: ReadonlyMap<string, readonly Delivery[]>;
};

export function formPage(shown: Shown, typed: Typed | null = null): Page {
  const { form } = shown;
  return {
    title: `Form ${form.slug}`,
    heading: <Foreign text={form.name} />,
    section: "forms",
    topics: ["setup"],
    back: { to: "/forms", label: "Forms" },
    actions: <Actions form={form} />,
    commands: [
      ["Show the form", "forms get", ...namedForm(form)],
      ["Add a target", "targets add", form.slug, "https://example.com/hook", namedForm(form)[1]],
      ["Print a snippet", "forms snippet", form.slug, { ...namedForm(form)[1], kind: "html" }],
    ],
    content: (
      <>
        <FormTabs form={form} current="Overview" />
        <About {...shown} />
        <Targets form={form} targets={shown.targets} deliveries={shown.deliveries} typed={typed} />
        <Snippets form={form} snippets={shown.snippets} />
      </>
    ),
  };
}

function Actions({ form }: { form: Form }) {
  const mayChange = useMayWriteForms(form.project);
  return (
    <>
      {mayChange && (
        <ButtonForm to={`${formPath(shortName(form))}/test`} icon="send">
          Send a test
        </ButtonForm>
      )}
      <ButtonLink to={inboxPath(shortName(form))} icon="inbox" kind="primary">
        Inbox
      </ButtonLink>
    </>
  );
}

function About({ form, mailWaits, state, url, page }: Shown) {
  const mayChange = useMayWriteForms(form.project);
  return (
    <section class="card" aria-labelledby="about">
      <h2 id="about">
        Address
        <Badge tone={state.startsWith("open") ? "good" : "warn"}>{state}</Badge>
      </h2>
      <pre id="form-address" tabindex={0}>
        {url}
      </pre>
      <Facts
        class="row"
        facts={[
          ["Project", <ProjectLink project={form.project} />],
          ["Slug", form.slug],
          form.page && ["Page", <a href={page}>{page}</a>],
          ["Files", form.uploads ? `at most ${form.maxFiles} of ${formatBytes(form.maxFileSize)}` : "off"],
          ["Origins", form.allowedOrigins.join("\n") || "any"],
          form.notify.length > 0 && ["Notifies", form.notify.join("\n")],
          ["Created", <Time at={Date.parse(form.createdAt)} />],
        ]}
      />
      {mailWaits && (
        <Notice tone="warn" title={sentence(`${NO_MAIL_SERVER}: mail of this form waits for one`)} />
      )}
      {mayChange && (
        <div class="buttons">
          <CopyButton of="#form-address">Copy the address</CopyButton>
          <ButtonForm to={`${formPath(shortName(form))}/state`} values={{ enabled: String(!form.enabled) }}>
            {form.enabled ? "Close the form" : "Open the form"}
          </ButtonForm>
          <ButtonLink to={`${formPath(shortName(form))}/move`} icon="arrowRight">
            Move…
          </ButtonLink>
          <ButtonLink to={`${formPath(shortName(form))}/delete`} kind="danger" icon="trash">
            Delete…
          </ButtonLink>
        </div>
      )}
    </section>
  );
}

function Targets({
  form,
  targets,
  deliveries,
  typed,
}: {
  form: Form;
  targets: TargetView[];
  deliveries: Shown["deliveries"];
  typed: Typed | null;
}) {
  const mayChange = useMayWriteForms(form.project);
  return (
    <Card id="targets" title="Targets">
      {targets.length === 0 ? (
        <Empty
          title={
            form.notify.length > 0
              ? "Submissions are sent to the addresses above, and to no target"
              : "Submissions are sent nowhere but to the inbox"
          }
        />
      ) : (
        <TargetTable
          targets={targets}
          to={`${formPath(shortName(form))}/targets`}
          mayChange={mayChange}
          columns={[
            { label: "Health", cell: ({ id }) => <Health form={form} deliveries={deliveries.get(id)} /> },
          ]}
        />
      )}
      {mayChange && (
        <PostForm
          to={`${formPath(shortName(form))}/targets`}
          class="stack"
          id="add-target"
          label="Add a target"
        >
          <TextField {...typedAt(typed, "target")} label="Add a target" hint={TARGET_HINT} required />
          <div class="buttons">
            <Button icon="plus">Add</Button>
          </div>
        </PostForm>
      )}
    </Card>
  );
}

/** The newest delivery to a target, and how many of the newest have failed. */
function Health({ form, deliveries }: { form: Form; deliveries: readonly Delivery[] | undefined }) {
  const [last] = deliveries ?? [];
  if (!last) return <span class="soft">nothing was sent</span>;
  const failed = deliveries!.filter(({ status }) => status === "failed").length;
  return (
    <>
      <A to={`/deliveries/${last.id}`}>
        <StatusBadge status={last.status} />
      </A>
      {last.error !== null && (
        <>
          {" "}
          <Foreign text={last.error} />
        </>
      )}
      {failed > 0 && (
        <>
          {" "}
          <A to="/deliveries" query={{ form: shortName(form), status: "failed" }}>
            {failed} of {deliveries!.length} failed
          </A>
        </>
      )}
    </>
  );
}

type Snippet = { kind: SnippetKind; text: string; notes: string[] };

const TITLES: Record<SnippetKind, string> = {
  html: "HTML form",
  fetch: "HTML form with a script",
  curl: "curl",
};

/** Code that sends to a form. */
function Snippets({ form, snippets }: { form: Form; snippets: Snippet[] }) {
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
