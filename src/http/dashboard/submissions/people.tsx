import type { Caller } from "../../../access/caller.ts";
import type { App } from "../../../app.ts";
import { AppError } from "../../../base/errors.ts";
import { findSenderAddress } from "../../../delivery/address.ts";
import { listInbox } from "../../../forms/inbox/inbox.ts";
import { type TitleOf, titlesOf } from "../../../forms/inbox/titles.ts";
import { ALL_BUT_SPAM } from "../../../forms/inbox/submission-filter.ts";
import { exportPerson, findPerson } from "../../../forms/keeping/person.ts";
import { purgeSchema } from "../../../forms/keeping/purge-schema.ts";
import { EXPORT_TYPES } from "../../../forms/transfer/export-format.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { inbox } from "../../../operations/inbox.ts";
import { type Fields, beforeIn, textOf } from "../fields.ts";
import { sendFile } from "./submission.ts";
import type { Dashboard } from "../routes.ts";
import type { Submission } from "../../../forms/submission.ts";
import { sentence } from "../../../base/shapes/words.ts";
import { Rows } from "./rows.tsx";
import type { Page } from "../page.tsx";
import { TextField } from "../parts/field.tsx";
import { Menu } from "../parts/fold.tsx";
import { A, Button, ButtonForm, ButtonLink } from "../parts/link.tsx";
import { Notice } from "../parts/status.tsx";
import { Card, Empty } from "../parts/card.tsx";
import { Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { Foreign, visible, counted } from "../parts/text.tsx";
import { addressOf, useMayWriteForms, useView } from "../view.ts";
import { erasePage } from "./erase-page.tsx";

/** Submissions of a page. */
const PAGE = 50;

/** Pages of one person's submissions, in every form and folder: read, export and erase. */
export function peopleRoutes({ app, options, get, post, act }: Dashboard) {
  const addressIn = (c: DashboardContext) => (c.req.query("q") ?? "").trim();

  get("/people", "forms:read", async (c) => {
    const address = addressIn(c);
    if (address === "") return peoplePage("", null, await recentPeople(app, c.get("caller")));
    const fault = faultOf(address);
    if (fault !== null) return peoplePage(address, fault);
    const query = { limit: PAGE, before: beforeIn(c, "submission") };
    const found = await findPerson(app, c.get("caller"), address, query);
    const titleOf = await titlesOf(app, found.submissions);
    return personPage({ address, before: query.before, ...found, titleOf });
  });
  get("/people/export", "forms:read", async (c) => {
    const address = addressIn(c);
    const fault = faultOf(address);
    if (fault !== null) throw new AppError("invalid", fault);
    const format = c.req.query("format") === "zip" ? "zip" : "jsonl";
    const chunks = exportPerson(app, c.get("caller"), address, format);
    return sendFile(c, { name: `${address}.${format}`, type: EXPORT_TYPES[format], chunks }, options.report);
  });
  const emailIn = (fields: Fields) => textOf(fields, "q").trim();
  post(
    "/people/erase",
    "forms:write",
    act({
      operation: inbox.purge,
      input({ fields }) {
        const email = emailIn(fields);
        return {
          body: { email, dryRun: textOf(fields, "typed").trim().toLowerCase() !== email.toLowerCase() },
        };
      },
      done(purged, { fields }) {
        const { dryRun, submissions, files } = purged;
        if (dryRun) return erasePage(emailIn(fields), purged, textOf(fields, "typed").trim());
        return { to: "/people", text: `${counted(submissions)} and ${counted(files, "file")} erased.` };
      },
      again: ({ fields }, { email }) => peoplePage(emailIn(fields), email ?? null),
    }),
  );
}

/** Error of a text that is no mail address; null if it is valid. */
function faultOf(email: string): string | null {
  const checked = purgeSchema.safeParse({ email });
  return checked.success ? null : checked.error.issues[0]!.message;
}

/** A recent sender, without a number: only their page counts in every folder. */
type Recent = { address: string; at: number };

/** The senders of the newest submissions, each once. */
async function recentPeople(app: App, caller: Caller): Promise<Recent[]> {
  const newest = { form: null, limit: PAGE, before: null, filter: ALL_BUT_SPAM };
  const sent = (await listInbox(app, caller, newest)).submissions.flatMap(({ data, createdAt }) => {
    const address = findSenderAddress(data, null, null);
    return address === null ? [] : [{ address, at: Date.parse(createdAt) }];
  });
  const people = Map.groupBy(sent, ({ address }) => address.toLowerCase());
  return [...people.values()].map((group) => group[0]!);
}

/** The search for a person, above recent senders. `fault` is what is wrong with what was typed. */
function peoplePage(typed: string, fault: string | null, recent: readonly Recent[] = []): Page {
  return {
    title: "Senders",
    section: "people",
    status: fault === null ? 200 : 400,
    lead: "Everything that one sender sent, in every form and folder, by the mail address in it.",
    content: (
      <div class="stack">
        <Search typed={typed} fault={fault} />
        {recent.length > 0 && (
          <Card id="recent" title="Lately">
            <Table
              caption="Senders of the newest submissions"
              rows={recent}
              columns={[
                {
                  label: "Sender",
                  heading: true,
                  cell: ({ address }) => (
                    <A to="/people" query={{ q: address }}>
                      <Foreign text={address} />
                    </A>
                  ),
                },
                { label: "Last", cell: ({ at }) => <Time at={at} /> },
              ]}
            />
          </Card>
        )}
      </div>
    ),
  };
}

function Search({ typed, fault }: { typed: string; fault: string | null }) {
  return (
    <form method="get" action={addressOf(useView(), "/people")} class="filters" id="people" role="search">
      <TextField
        type="search"
        name="q"
        label="Address"
        value={typed}
        error={fault === null ? null : sentence(fault)}
        placeholder="ada@example.com"
        autofocus={typed === ""}
        shortcut="/"
      />
      <p class="buttons">
        <Button icon="search">Search</Button>
      </p>
    </form>
  );
}

type Person = {
  address: string;
  submissions: readonly Submission[];
  titleOf: TitleOf;
  before: string | null;
  next: string | null;
  /** New submissions that the search does not know yet, at most. */
  indexing: number;
};

/** Page of the submissions with an address. */
function personPage({ address, submissions, titleOf, before, next, indexing }: Person): Page {
  const isEmpty = submissions.length === 0 && next === null && before === null;
  return {
    title: `Sender ${visible(address)}`,
    heading: <Foreign text={address} />,
    section: "people",
    back: { to: "/people", label: "Senders" },
    topics: ["submissions"],
    ...(before === null &&
      !isEmpty && { lead: <Sent submissions={submissions} titleOf={titleOf} next={next} /> }),
    actions: <Actions address={address} isEmpty={isEmpty} />,
    commands: [
      ["List them", "submissions list", { email: address }],
      ["Count what an erasure deletes", "submissions purge", { email: address, "dry-run": true }],
    ],
    content: (
      <div class="stack">
        <Search typed={address} fault={null} />
        {indexing > 0 && (
          <Notice>
            <p>Up to {indexing.toLocaleString("en")} new submissions are not searched yet.</p>
          </Notice>
        )}
        {isEmpty ? (
          <Empty title="No submissions with this address">
            <p class="soft">
              A field has to hold the address alone. An erasure also finds it behind many other words.
            </p>
          </Empty>
        ) : (
          <Rows submissions={submissions} titleOf={titleOf} query={{}} hasForms hasFolders />
        )}
        {next !== null && (
          <p class="buttons">
            <ButtonLink to="/people" query={{ q: address, before: next }}>
              Older
            </ButtonLink>
          </p>
        )}
      </div>
    ),
  };
}

/** Exports of all that a person sent, and its erasure. */
function Actions({ address, isEmpty }: { address: string; isEmpty: boolean }) {
  const mayWrite = useMayWriteForms(null);
  if (isEmpty && !mayWrite) return null;
  return (
    <Menu label="More actions">
      {!isEmpty &&
        ["jsonl", "zip"].map((format) => (
          <li>
            <A to="/people/export" query={{ q: address, format }}>
              Export {format.toUpperCase()}
            </A>
          </li>
        ))}
      {mayWrite && (
        <li>
          <ButtonForm to="/people/erase" values={{ q: address }}>
            Erase…
          </ButtonForm>
        </li>
      )}
    </Menu>
  );
}

/** The number of a person's submissions on the page, their forms, and the time of the last one. */
function Sent({ submissions, titleOf, next }: Pick<Person, "submissions" | "titleOf" | "next">) {
  const [last] = submissions;
  if (!last) return null;
  const forms = [...new Set(submissions.map((each) => titleOf(each).formName))];
  const more = forms.length > 3 ? ` and ${forms.length - 3} more` : "";
  return (
    <>
      {next === null ? counted(submissions.length) : `More than ${counted(submissions.length)}`} in all
      folders, to <Foreign text={forms.slice(0, 3).join(", ") + more} />, the last{" "}
      <Time at={Date.parse(last.createdAt)} />
    </>
  );
}
