import { expect, test } from "bun:test";
import {
  type Selection,
  countMatching,
  deleteMatching,
  markMatching,
} from "../../../src/forms/inbox/bulk.ts";
import { createForm, deleteForm } from "../../../src/forms/forms.ts";
import { importSubmissions } from "../../../src/forms/transfer/import.ts";
import { deleteSubmissions } from "../../../src/forms/keeping/submission-deletion.ts";
import { storeSubmission } from "../../../src/forms/submissions.ts";
import { AppError } from "../../../src/base/errors.ts";
import { openTestApp } from "../../support/app.ts";
import { OPERATOR, callerNamed } from "../../support/records/caller.ts";
import { codeOf } from "../../support/refusals.ts";
import { uploadsOf } from "../../support/uploads.ts";

const INBOX: Selection = { form: null, filter: { states: ["inbox"] }, upTo: null };

async function begin() {
  const app = openTestApp();
  const forms = {
    contact: await createForm(app, OPERATOR, { slug: "contact", uploads: true }),
    orders: await createForm(app, OPERATOR, { slug: "orders" }),
  };
  const uploads = uploadsOf(app);
  const send = async (form: keyof typeof forms, data: object = {}, ...files: string[]) => {
    const draft = { data: JSON.stringify(data), files: await uploads.draftFiles(...files) };
    return (await storeSubmission(app, forms[form], draft)).id;
  };
  const sendMany = (count: number) => Promise.all(Array.from({ length: count }, () => send("contact")));
  const stateOf = async (id: string) => (await app.store.submissions.find(id))?.state;
  return { app, uploads, send, sendMany, stateOf };
}

test("all that a filter selects is marked in steps, with progress, and nothing that came after", async () => {
  const { app, send, sendMany, stateOf } = await begin();
  await sendMany(600);
  const last = await send("orders");
  const later = await send("orders");
  const steps: number[] = [];
  const selection = { ...INBOX, upTo: last };
  expect(await countMatching(app, OPERATOR, selection)).toMatchObject({ total: 601, upTo: last });
  const result = await markMatching(app, OPERATOR, selection, "archived", (total) => steps.push(total));
  expect([result.total, new Set(result.ids).size, result.upTo]).toEqual([601, 601, last]);
  expect(steps).toEqual([250, 500, 600, 601]);
  expect([await stateOf(last), await stateOf(later)]).toEqual(["archived", "inbox"]);
  const [marked] = await app.store.submissions.marks(last);
  expect(marked).toMatchObject({ mark: "archived", who: "ann" });
  expect(await markMatching(app, OPERATOR, INBOX, "read")).toMatchObject({
    total: 1,
    ids: [later],
    upTo: later,
  });
});

test("a deletion of all that filters select leaves the rest, and removes the files", async () => {
  const { app, uploads, send, stateOf } = await begin();
  const gone = [await send("contact", { word: "casino" }, "a.txt"), await send("orders", { word: "casino" })];
  const kept = [await send("contact", { word: "hello" }, "b.txt"), await send("orders")];
  const selection = { ...INBOX, filter: { states: ["inbox"] as const, search: "casino" } };
  expect((await deleteMatching(app, OPERATOR, selection)).ids.toSorted()).toEqual(gone.toSorted());
  expect(await Promise.all([...gone, ...kept].map(stateOf))).toEqual([
    undefined,
    undefined,
    "inbox",
    "inbox",
  ]);
  expect(uploads.kept()).toEqual([`${kept[0]}.1`]);
  expect(await deleteMatching(app, OPERATOR, { ...INBOX, form: "orders" })).toMatchObject({
    ids: [kept[1]!],
  });
  expect(await stateOf(kept[0]!)).toBe("inbox");
});

test("what is deleted or moved while a selection is changed is left out", async () => {
  const { app, send, stateOf } = await begin();
  const [first, second] = [await send("contact"), await send("contact")];
  const { submissions } = app.store;
  const meanwhile = (act: () => Promise<unknown>) => ({
    ...app,
    store: {
      ...app.store,
      submissions: {
        ...submissions,
        scan: async (...args: Parameters<typeof submissions.scan>) => {
          const step = await submissions.scan(...args);
          await act();
          return step;
        },
      },
    },
  });
  const by = { who: "ben", at: 0 };
  const moved = meanwhile(() => submissions.mark([first], "spam", {}, by));
  expect((await deleteMatching(moved, OPERATOR, INBOX)).ids).toEqual([second]);
  expect(await stateOf(first)).toBe("spam");
  const third = await send("contact");
  const spam = { ...INBOX, filter: { states: ["spam"] as const } };
  const deleted = meanwhile(() => submissions.delete([first]));
  expect((await markMatching(deleted, OPERATOR, spam, "inbox")).ids).toEqual([]);
  const gone = meanwhile(() => deleteForm(app, OPERATOR, "orders").catch(() => {}));
  expect((await markMatching(gone, OPERATOR, INBOX, "archived")).ids).toEqual([third]);
});

/** A form with an imported id that is greater than every id made here, which was counted, and one that came after. */
async function countThenSend() {
  const begun = await begin();
  const { app, send, sendMany } = begun;
  const load = (...rows: object[]) =>
    importSubmissions(app, OPERATOR, "contact", rows.map((row) => JSON.stringify(row)).join("\n"));
  await sendMany(3);
  await load({ id: FOREIGN, data: { n: 1 } });
  const counted = await countMatching(app, OPERATOR, { ...INBOX, form: "contact" });
  expect([counted.total, counted.upTo]).toEqual([4, FOREIGN]);
  const later = await send("contact");
  const selection = { ...INBOX, form: "contact", upTo: counted.upTo };
  return { ...begun, load, selection, later };
}

const FOREIGN = "f47ac10b-58cc-4372-a567-0e02b2c3d479";

test("what came after an imported id of version 4 was counted is neither marked nor deleted", async () => {
  const { app, selection, load, later, stateOf } = await countThenSend();
  await load({ id: "00000000-0000-4000-8000-000000000000", data: { n: 2 }, createdAt: "2020-01-01" });
  expect(await countMatching(app, OPERATOR, selection)).toMatchObject({ total: 4 });
  expect(await markMatching(app, OPERATOR, selection, "read")).toMatchObject({ total: 3 });
  expect(await deleteMatching(app, OPERATOR, selection)).toMatchObject({ total: 4, upTo: FOREIGN });
  expect(await stateOf(later)).toBe("inbox");
});

test("what comes while a selection is deleted is left out, whatever places become free", async () => {
  const { app, send, stateOf } = await begin();
  await send("contact");
  // Imported ids come first in the walk, and SQLite gives their places to the next arrivals.
  const row = (index: number) =>
    JSON.stringify({ id: FOREIGN.replace("f47ac10b", String(99_000_000 + index)), data: {} });
  const rows = Array.from({ length: 300 }, (_, index) => row(index));
  await importSubmissions(app, OPERATOR, "contact", rows.join("\n"));
  const late: string[] = [];
  const progress = async () => void late.push(await send("contact"));
  const sent: Promise<void>[] = [];
  const result = await deleteMatching(app, OPERATOR, INBOX, () => void sent.push(progress()));
  await Promise.all(sent);
  expect([result.total, late.length]).toEqual([301, 3]);
  for (const id of late) expect(await stateOf(id)).toBe("inbox");
});

test("a selection up to a submission that was deleted meanwhile is refused", async () => {
  const { app, selection, later, stateOf } = await countThenSend();
  await deleteSubmissions(app, OPERATOR, [FOREIGN]);
  expect(await codeOf(deleteMatching(app, OPERATOR, selection))).toBe("conflict");
  expect(await codeOf(markMatching(app, OPERATOR, selection, "spam"))).toBe("conflict");
  expect(await stateOf(later)).toBe("inbox");
});

test("the rights are checked before each step", async () => {
  const { app, sendMany } = await begin();
  await sendMany(300);
  let left = 1;
  const verify = async () => {
    left -= 1;
    if (left < 0) throw new AppError("unauthenticated", "the token was revoked");
  };
  const revoked = callerNamed("ci", { verify });
  expect(await codeOf(markMatching(app, revoked, INBOX, "read"))).toBe("unauthenticated");
  const { total } = await countMatching(app, OPERATOR, {
    ...INBOX,
    filter: { states: ["inbox"], unread: true },
  });
  // The one that came last is left to the end.
  expect(total).toBe(51);
  expect(await codeOf(deleteMatching(app, revoked, INBOX))).toBe("unauthenticated");
  const reader = callerNamed("reader", { scopes: ["forms:read"] });
  expect(await codeOf(markMatching(app, reader, INBOX, "read"))).toBe("forbidden");
  expect(await codeOf(deleteMatching(app, reader, INBOX))).toBe("forbidden");
  expect(await codeOf(deleteSubmissions(app, reader, []))).toBe("forbidden");
});

test("of several ids those that exist are deleted, once", async () => {
  const { app, send } = await begin();
  const id = await send("contact");
  expect(await deleteSubmissions(app, OPERATOR, [id, app.nextId(), id])).toEqual([id]);
});

test("a search without a word and an unknown form are refused, also where there is nothing", async () => {
  const { app } = await begin();
  const search = { ...INBOX, filter: { states: ["inbox"] as const, search: "?" } };
  expect(await codeOf(markMatching(app, OPERATOR, search, "read"))).toBe("invalid");
  expect(await codeOf(deleteMatching(app, OPERATOR, { ...INBOX, form: "nothing" }))).toBe("not_found");
  expect(await deleteMatching(app, OPERATOR, INBOX)).toEqual({ total: 0, ids: [], upTo: null });
});
