import { expect, test } from "bun:test";
import { type Selection, countMatching, deleteMatching, markMatching } from "../../src/forms/bulk.ts";
import { createForm, deleteForm } from "../../src/forms/forms.ts";
import { deleteSubmissions } from "../../src/forms/submission-deletion.ts";
import { storeSubmission } from "../../src/forms/submissions.ts";
import { AppError } from "../../src/base/errors.ts";
import { openTestApp } from "../support/app.ts";
import { OPERATOR, callerNamed } from "../support/caller.ts";
import { codeOf } from "../support/refusals.ts";
import { uploadsOf } from "../support/uploads.ts";

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
  expect(total).toBe(50);
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
