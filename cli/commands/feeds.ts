import type { Command } from "commander";
import { recordInWords } from "../../src/base/kinds/kinds.ts";
import { FEED } from "../../src/forms/feeds/feed-card.ts";
import { feeds as operations } from "../../src/operations/feeds/feeds.ts";
import type { Io } from "../output/terminal.ts";
import { shown, table } from "../output/text.ts";
import { givenIn, optionsOf } from "../session/card.ts";
import { listAll } from "../session/pages.ts";
import { verb } from "../session/verb.ts";
import { addRevoke } from "./verbs.ts";

export function addFeedCommands(feeds: Command, io: Io): void {
  feeds.after(`
A feed is an address from which a spreadsheet or a feed reader gets the submissions of a form, newest first and without
spam. Anyone who knows the address can read it without a token, until the feed is revoked or expires.

Examples:
  formflag feeds create contact --format csv --field name,email --since 30d
  formflag feeds list
  formflag feeds revoke k3v9-x2mq-71bd
`);
  addCreate(feeds, io);
  addList(feeds, io);
  addRevoke(feeds, io, {
    argument: ["[id]", "id of the feed"],
    description: "revoke a feed at once",
    operation: operations.revoke,
    names: (feed) => ({ feed }),
    kind: "feed",
    what: "id",
  });
}

const addCreate = verb("create", {
  argument: ["[form]", "slug or key of the form"],
  description: "create a feed and print its address, which is shown only once",
  options: ["project of forms", ...optionsOf(FEED)],
  help: `
With --field, a submission has only these fields, its id and its time. The address is stored as a hash, so it cannot be
shown again.

Examples:
  formflag feeds create contact --format csv
  formflag feeds create contact --format atom --search urgent --expires 90d
  formflag feeds create contact --format json --field name --field message --limit 100
`,
  ownField: true,
  parse: async (input, given) => ({ body: await givenIn(FEED, input), form: await input.form(given) }),
  run: async ({ client, config, print, suggest }, { form, body }) => {
    const feed = await client.call(operations.create, { names: { form }, body });
    const url = feed.url.startsWith("/") ? `${config.server ?? ""}${feed.url}` : feed.url;
    await print({ ...feed, url }, `${url}\n`);
    suggest(
      shown`Who knows this address reads the submissions; it is not shown again. To end it: formflag feeds revoke ${feed.id}`,
    );
  },
});

const addList = verb("list ls", {
  argument: ["[form]", "slug or key of the form (default: all forms)"],
  description: "list feeds, the oldest first, without their addresses",
  options: ["project of forms"],
  parse: async (input, form) => ({
    ...(form !== undefined && { form: await input.form(form) }),
    project: input.givenProject(),
  }),
  run: async ({ client, print, suggest }, query) => {
    const all = await listAll(client, operations.list, { query });
    const rows = all.map((feed) => [
      feed.id,
      feed.form,
      feed.name,
      feed.format,
      recordInWords(FEED, feed),
      feed.lastReadAt ?? "never",
      feed.expiresAt ?? "never",
    ]);
    await print(all, table(["FEED", "FORM", "NAME", "FORMAT", "SHOWS", "LAST READ", "EXPIRES"], rows));
    if (all.length === 0) suggest("No feeds yet. Next: formflag feeds create <form> --format csv");
  },
});
