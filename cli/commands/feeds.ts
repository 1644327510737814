import { type Command, Option } from "commander";
import { clock } from "../../src/base/clock.ts";
import { durationInWords } from "../../src/base/units.ts";
import { FEED_FORMATS, type FeedFormat } from "../../src/forms/feeds/feed.ts";
import { FEED_LIMITS } from "../../src/forms/limits.ts";
import { feeds as operations } from "../../src/operations/feeds/feeds.ts";
import type { Io } from "../output/terminal.ts";
import { shown, table } from "../output/text.ts";
import { action } from "../session/action.ts";
import { listOption } from "../session/command-line.ts";
import { formProjectOption } from "../session/config.ts";
import type { Input } from "../session/input.ts";
import { listAll } from "../session/pages.ts";
import type { Session } from "../session/session.ts";
import { usage } from "../session/usage.ts";
import { expiryValue, spanValue } from "../session/values.ts";
import { addRevoke } from "./verbs.ts";

export function addFeedCommands(feeds: Command, io: Io): void {
  feeds.addHelpText(
    "after",
    `
A feed is an address from which a spreadsheet or a feed reader gets the submissions of a form, newest first and without
spam. Anyone who knows the address can read it without a token, until the feed is revoked or expires.

Examples:
  formflag feeds create contact --format csv --field name,email --since 30d
  formflag feeds list
  formflag feeds revoke k3v9-x2mq-71bd
`,
  );
  addCreateCommand(feeds, io);
  addListCommand(feeds, io);
  addRevoke(feeds, io, {
    argument: ["[id]", "id of the feed"],
    description: "revoke a feed at once",
    operation: operations.revoke,
    names: (feed) => ({ feed }),
    kind: "feed",
    what: "id",
  });
}

type Options = {
  format: FeedFormat;
  name?: string;
  field?: string[];
  search?: string;
  since?: string;
  limit: string;
  expires?: string;
};

type NewFeed = {
  form: string;
  body: {
    format: FeedFormat;
    name?: string;
    fields: string[] | null;
    search: string | null;
    since: number | null;
    limit: number;
    expiresAt: string | null;
  };
};

function addCreateCommand(feeds: Command, io: Io): void {
  const { defaultItems, items } = FEED_LIMITS;
  feeds
    .command("create")
    .argument("[form]", "slug or key of the form")
    .description("create a feed and print its address, which is shown only once")
    .addOption(formProjectOption())
    .addOption(
      new Option("--format <format>", "format of the feed").choices(FEED_FORMATS).makeOptionMandatory(),
    )
    .option("--name <name>", "title of the feed (default: the name of the form)")
    .addOption(
      listOption("--field <field...>", "show only these fields, in this order (default: everything)"),
    )
    .option("--search <text>", "only submissions with all these words")
    .option("--since <time>", "only submissions of this time before now, such as 30d")
    .option("--limit <n>", `number of submissions, at most ${items}`, String(defaultItems))
    .option("--expires <time>", "when it expires: 90d, ISO 8601, or never")
    .addHelpText(
      "after",
      `
With --field, a submission has only these fields, its id and its time. The address is stored as a hash, so it cannot be
shown again.

Examples:
  formflag feeds create contact --format csv
  formflag feeds create contact --format atom --search urgent --expires 90d
  formflag feeds create contact --format json --field name --field message --limit 100
`,
    )
    .action(action(io, parse, create, { ownField: true }));
}

async function parse(input: Input, given?: string): Promise<NewFeed> {
  const { format, name, field, search, since, limit, expires } = input.options as unknown as Options;
  const { items } = FEED_LIMITS;
  if (!/^\d{1,9}$/.test(limit) || Number(limit) < 1 || Number(limit) > items)
    throw usage(`--limit ${limit} is not a number from 1 to ${items}`);
  const body = {
    format,
    ...(name !== undefined && { name }),
    fields: field ?? null,
    search: search ?? null,
    since: since === undefined ? null : spanValue(since, "--since"),
    limit: Number(limit),
    expiresAt: expires === undefined ? null : expiryValue(expires, "--expires", clock.now()),
  };
  return { form: await input.form(given), body };
}

async function create({ client, config, print, suggest }: Session, { form, body }: NewFeed): Promise<void> {
  const feed = await client.call(operations.create, { names: { form }, body });
  const url = feed.url.startsWith("/") ? `${config.server ?? ""}${feed.url}` : feed.url;
  await print({ ...feed, url }, `${url}\n`);
  suggest(
    shown`Who knows this address reads the submissions; it is not shown again. To end it: formflag feeds revoke ${feed.id}`,
  );
}

function addListCommand(feeds: Command, io: Io): void {
  const parse = async (input: Input, form?: string) => ({
    ...(form !== undefined && { form: await input.form(form) }),
    project: input.givenProject(),
  });
  feeds
    .command("list")
    .alias("ls")
    .argument("[form]", "slug or key of the form (default: all forms)")
    .description("list feeds, the oldest first, without their addresses")
    .addOption(formProjectOption())
    .action(
      action(io, parse, async ({ client, print, suggest }: Session, query) => {
        const all = await listAll(client, operations.list, { query });
        const rows = all.map((feed) => [
          feed.id,
          feed.form,
          feed.name,
          feed.format,
          filterOf(feed),
          feed.lastReadAt ?? "never",
          feed.expiresAt ?? "never",
        ]);
        await print(all, table(["FEED", "FORM", "NAME", "FORMAT", "SHOWS", "LAST READ", "EXPIRES"], rows));
        if (all.length === 0) suggest("No feeds yet. Next: formflag feeds create <form> --format csv");
      }),
    );
}

type Filter = { fields: string[] | null; search: string | null; since: number | null; limit: number };

/** `name, email; "urgent"; of 30 days; at most 100`. */
function filterOf({ fields, search, since, limit }: Filter): string {
  return [
    fields?.join(", ") ?? "all fields",
    ...(search === null ? [] : [`"${search}"`]),
    ...(since === null ? [] : [`of ${durationInWords(since)}`]),
    `at most ${limit}`,
  ].join("; ");
}
