import { shortName } from "../../../access/place.ts";
import { MAX_LIST } from "../../../base/pages.ts";
import { recordInWords } from "../../../base/kinds/kinds.ts";
import { FEED } from "../../../forms/feeds/feed-card.ts";
import { type FoundFeed, noSuchFeed } from "../../../forms/feeds/feed.ts";
import { listFeeds } from "../../../forms/feeds/feeds.ts";
import type { Form } from "../../../forms/form.ts";
import { feeds as operations } from "../../../operations/feeds/feeds.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import type { Page } from "../page.tsx";
import { Empty } from "../parts/card.tsx";
import { AskingButton } from "../parts/danger.tsx";
import { CardFields, controlsOf, givenIn } from "../parts/kind-field.tsx";
import { Button, Form as PostForm } from "../parts/link.tsx";
import { List } from "../parts/list.tsx";
import { secretPage } from "../parts/secret.tsx";
import { Notice } from "../parts/status.tsx";
import type { Typed } from "../parts/submit.ts";
import { Foreign } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import { FORM, formPath } from "../paths.ts";
import type { Dashboard } from "../routes.ts";
import { useMayWriteForms } from "../view.ts";

const FEEDS = `${FORM}/feeds` as const;

/** A page of a form that shows its feeds, with a form that was not taken. */
type ShowFeeds = (c: DashboardContext, name: string, typed: Typed | null) => Promise<Page>;

/** The feeds of a form: addresses at which spreadsheets and readers get its submissions. */
export function feedsRoutes({ app, get, post, act }: Dashboard, show: ShowFeeds) {
  get(FEEDS, "forms:read", (c, { form }) => show(c, form, null));
  post(
    FEEDS,
    "forms:write",
    act({
      operation: operations.create,
      input: ({ fields, names }) => ({ names, body: givenIn(FEED, fields, app.now()) }),
      done: async ({ url }, { names: { form } }) => addressPage(url, formPath(form)),
      again: ({ c, fields, names }, faults) => show(c, names.form, { fields, faults }),
      at: { ...controlsOf(FEED), invalid: "search", conflict: "name" },
    }),
  );
  post(
    `${FEEDS}/:feed`,
    "forms:write",
    act({
      operation: operations.revoke,
      async input({ c, names: { form, feed } }) {
        const { items } = await listFeeds(app, c.get("caller"), feedsOf(form));
        if (!items.some(({ id }) => id === feed)) throw noSuchFeed(feed);
        return { names: { feed } };
      },
      done: (_, { names: { form } }) => ({ to: formPath(form), text: "Revoked the feed" }),
    }),
  );
}

/** The query for all feeds of a form. */
export function feedsOf(form: string) {
  return { form, limit: MAX_LIST, after: null };
}

/** `Team (CSV)`, or how many there are. */
export function feedsInWords(feeds: readonly FoundFeed[]) {
  if (feeds.length === 0) return <span class="soft">none</span>;
  if (feeds.length > 2) return `${feeds.length} feeds`;
  return <Foreign text={feeds.map(({ name, format }) => `${name} (${format.toUpperCase()})`).join(", ")} />;
}

/** Shows the address of a feed, this one time. */
function addressPage(url: string, form: string): Page {
  return secretPage({
    title: "Address of the feed",
    section: "forms",
    back: { to: form, label: "The form" },
    id: "feed-address",
    secret: url,
    about: (
      <Notice tone="warn">
        <p>This address is shown this one time. Anyone with it can read the submissions in the feed.</p>
      </Notice>
    ),
  });
}

/** The feeds of a form, with a form that creates one. */
export function Feeds({
  form,
  feeds,
  typed,
}: {
  form: Form;
  feeds: readonly FoundFeed[];
  typed: Typed | null;
}) {
  const mayChange = useMayWriteForms(form.project);
  const to = `${formPath(shortName(form))}/feeds`;
  const actions = {
    label: "Actions",
    isLabelUnseen: true,
    cell: ({ id, name }: FoundFeed) => (
      <AskingButton
        to={`${to}/${encodeURIComponent(id)}`}
        values={{}}
        kind="quiet"
        label={`Revoke: ${name}`}
        question="Its address answers nothing from then on."
        confirm="Revoke the feed"
      >
        Revoke…
      </AskingButton>
    ),
  };
  return (
    <div class="stack">
      <p class="soft">
        A feed is a secret address at which a spreadsheet, a feed reader or a script reads the submissions,
        newest first and without spam.
      </p>
      <List
        empty={
          <Empty title="There are no feeds yet">
            <p class="soft">Create one below, and give its address to a spreadsheet.</p>
          </Empty>
        }
        caption="Feeds"
        rows={feeds}
        keyOf={({ id }) => `feed-${id}`}
        columns={[
          { label: "Name", heading: true, cell: ({ name }) => <Foreign text={name} /> },
          { label: "Format", cell: ({ format }) => format.toUpperCase() },
          { label: "Submissions", cell: (feed) => <Foreign text={recordInWords(FEED, feed)} /> },
          { label: "Last read", cell: ({ lastReadAt }) => (lastReadAt ? <Time at={lastReadAt} /> : "never") },
          { label: "Expires", cell: ({ expiresAt }) => (expiresAt ? <Time at={expiresAt} /> : "never") },
          ...(mayChange ? [actions] : []),
        ]}
      />
      {mayChange && <NewFeed to={to} typed={typed} />}
    </div>
  );
}

function NewFeed({ to, typed }: { to: string; typed: Typed | null }) {
  return (
    <PostForm to={to} class="stack" id="new-feed" label="Create a feed" isChanged={typed !== null}>
      <h3>Create a feed</h3>
      <div class="columns">
        <CardFields card={FEED} typed={typed} id="feed" />
      </div>
      <p class="buttons">
        <Button icon="plus">Create the feed</Button>
      </p>
    </PostForm>
  );
}
