import type { Quota } from "../../../../src/forms/form.ts";
import type { Conditions } from "../../../../src/forms/intake/insertion.ts";
import { NOW, fileKept, submissionTo } from "../../../support/records/records.ts";
import { HASH, NO_CONDITIONS, OTHER_HASH } from "../shop.ts";
import type { Call } from "./call.ts";

const conditional =
  (conditions: Partial<Conditions>): Call =>
  ({ submissions }, { form }, { id }) =>
    submissions.insert(submissionTo(form.key, { id, conditions: { ...NO_CONDITIONS, ...conditions } }));
/** Into another form of the project than the one with a submission. */
const within =
  (quota: Quota): Call =>
  ({ submissions }, { returned }, { id }) =>
    submissions.insert(submissionTo(returned.key, { id, conditions: { ...NO_CONDITIONS, quota } }));
export const until = { hash: OTHER_HASH, expiresAt: NOW + 1000 };

export const SUBMISSIONS = {
  insert: ({ submissions }, { form }, { id }) => submissions.insert(submissionTo(form.key, { id })),
  "insert delivered": ({ submissions }, { form, target }, { id }) =>
    submissions.insert(
      submissionTo(form.key, { id, deliveries: [{ id, kind: "webhook", target: target.id }] }),
    ),
  "insert replied": ({ submissions }, { form }, { id, hash }) => {
    const limit = { hash, expiresAt: NOW + 1000, since: NOW - 1, most: 1 };
    const deliveries = [{ id, kind: "autoreply" as const, target: "a@example.com", limit }];
    return submissions.insert(submissionTo(form.key, { id, deliveries }));
  },
  "insert with a file": ({ submissions }, { form, noted }) =>
    submissions.insert(submissionTo(form.key, { id: noted, files: [fileKept("c.1")] })),
  "insert with a file and conditions": ({ submissions }, { form, noted }) =>
    submissions.insert(
      submissionTo(form.key, { id: noted, files: [fileKept("c.1")], conditions: NO_CONDITIONS }),
    ),
  "insert the last": conditional({ maxSubmissions: 3 }),
  "insert once by key": conditional({ key: { ...until, content: HASH } }),
  "insert no duplicate": conditional({ recent: until }),
  "insert solved": conditional({ challenge: { nonce: until } }),
  "insert spam": conditional({ spam: "words" }),
  "insert elsewhere": ({ submissions }, { empty }, { id }) =>
    submissions.insert(submissionTo(empty.key, { id })),
  "mark as spam": ({ submissions }, { inbox, by }) => submissions.mark(inbox, "spam", {}, by),
  "mark as archived": ({ submissions }, { inbox, spam, by }) =>
    submissions.mark([spam, ...inbox.toReversed()], "archived", {}, by),
  "mark as read": ({ submissions }, { inbox, by }) => submissions.mark(inbox, "read", {}, by),
  "mark as no spam": ({ submissions }, { spam, target, by }, { id }) =>
    submissions.mark([spam], "inbox", { [spam]: [{ id, kind: "webhook", target: target.id }] }, by),
  delete: ({ submissions }, { inbox }) => submissions.delete(inbox),
  "delete backwards": ({ submissions }, { inbox, spam, elsewhere }) =>
    submissions.delete([elsewhere, spam, ...inbox.toReversed()]),
  "delete spam": ({ submissions }, { spam, inbox }) => submissions.delete([spam, ...inbox], ["spam"]),
  "delete aged": ({ submissions }, { form, inbox }) =>
    submissions.deleteAged({ formKey: form.key, state: "inbox", createdBefore: NOW }, [...inbox]),
  purge: ({ submissions }, { inbox, spam, placeOf }) =>
    submissions.purge([inbox[1]!, spam].map(placeOf), [HASH]),
  "clear deleted": ({ submissions }) => submissions.clearDeleted(10),
  "clear expired": ({ submissions }) => submissions.clearExpired(NOW, 10),
  import: ({ submissions }, { form, inbox }, { id }) =>
    submissions.import(
      form.key,
      [id, inbox[0]!].map((id) => ({
        id,
        data: "{}",
        createdAt: NOW,
        state: "inbox" as const,
        spam: null,
        read: true,
        meta: null,
      })),
    ),
  "insert within a quota": within({ maxSubmissions: null, maxStorage: 100_000 }),
  "insert the last of a day": within({ maxSubmissions: 3, maxStorage: null }),
  "insert into a project": ({ submissions }, { ordered }, { id }) =>
    submissions.insert(submissionTo(ordered.key, { id })),
  "delete of a project": ({ submissions }, { order, by }) => submissions.delete([order], undefined, by),
  "purge of a project": ({ submissions }, { order, placeOf, by }) =>
    submissions.purge([placeOf(order)], [], by),
  "delete aged of a project": ({ submissions }, { ordered, order, by }) =>
    submissions.deleteAged({ formKey: ordered.key, state: "inbox", createdBefore: NOW + 1 }, [order], by),
  "import into a project": ({ submissions }, { ordered }, { id }) =>
    submissions.import(ordered.key, [
      { id, data: "{}", createdAt: NOW, state: "inbox", spam: null, read: true, meta: null },
    ]),
  "read what is learned": async ({ learning }) => {
    const examples = await learning.unread(10);
    await learning.keep(examples.map(({ id }) => ({ id, hashes: Uint8Array.of(1, 2, 3, 4) })));
  },
  recount: ({ submissions }) => submissions.recount(),
  index: ({ submissions }) => submissions.updateIndex(),
} satisfies Record<string, Call>;
