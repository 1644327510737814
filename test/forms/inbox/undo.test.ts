import { expect, test } from "bun:test";
import { createForm } from "../../../src/forms/forms.ts";
import { keepUndo, undoAction, undoOfMark } from "../../../src/forms/inbox/undo.ts";
import { storeSubmission } from "../../../src/forms/submissions.ts";
import { inbox } from "../../../src/operations/inbox.ts";
import { createUser } from "../../../src/access/users.ts";
import { openServices, openTestApp } from "../../support/app.ts";
import { OPERATOR, callerNamed } from "../../support/records/caller.ts";
import { codeOf } from "../../support/refusals.ts";

const ann = callerNamed("ann");

test("what can be undone is kept as long as there is room, once, for the user who did it", async () => {
  const app = openTestApp();
  const keepMany = async () => {
    const ids = Array.from({ length: 10_000 }, () => crypto.randomUUID());
    return (await keepUndo(
      app,
      ann,
      undoOfMark("read", ids, () => "inbox"),
    ))!;
  };
  const first = await keepMany();
  for (let count = 0; count < 12; count += 1) await keepMany();
  expect(await codeOf(undoAction(app, ann, first))).toBe("gone");
  const last = await keepMany();
  expect(await codeOf(undoAction(app, callerNamed("bob"), last))).toBe("gone");
  expect(await undoAction(app, ann, last)).toEqual({ changed: 0, marks: [] });
  expect(await codeOf(undoAction(app, ann, last))).toBe("gone");
  const late = await keepMany();
  app.clock.now += 600_000;
  expect(await codeOf(undoAction(app, ann, late))).toBe("gone");
});

test("a request that is undoable names its undo, which puts everything back as it was", async () => {
  const app = openTestApp();
  const admin = await openServices(app).admin();
  const call = async (operation: { path: string }, body: object) => {
    const headers = { "Content-Type": "application/json" };
    const sent = { method: "POST", headers, body: JSON.stringify(body) };
    const answer = await admin.request(`/api/admin/v1${operation.path}`, sent, {
      operator: () => "operator",
    });
    return (await answer.json()) as { changed: number; undo?: string | null; marks?: object[] };
  };
  const form = await createForm(app, OPERATOR, { slug: "contact" });
  await createUser(app, OPERATOR, { name: "ben", role: "inbox" });
  const ids: string[] = [];
  for (const text of ["one", "two"])
    ids.push((await storeSubmission(app, form, { data: JSON.stringify({ text }), files: [] })).id);
  await call(inbox.label, { ids: [ids[0]], add: ["old", "both"] });
  await call(inbox.assign, { ids: [ids[0]], assignee: "ben" });
  await call(inbox.mark, { ids: [ids[0]], mark: "archived" });
  const before = await app.store.submissions.standing(ids);
  const done = [
    await call(inbox.label, { ids, add: ["new", "both"], remove: ["old"], undoable: true }),
    await call(inbox.assign, { ids, assignee: null, undoable: true }),
    await call(inbox.mark, { ids: [...ids, form.key], mark: "spam", skipMissing: true, undoable: true }),
  ];
  expect(done.map(({ changed }) => changed)).toEqual([2, 1, 2]);
  const undone = [];
  for (const { undo } of done.toReversed()) undone.push(await call(inbox.undo, { undo }));
  expect(undone.map(({ changed }) => changed)).toEqual([2, 1, 2]);
  expect(undone[0]!.marks).toEqual([
    { mark: "archived", changed: 1 },
    { mark: "inbox", changed: 1 },
  ]);
  expect(await app.store.submissions.standing(ids)).toEqual(before);
  expect(await call(inbox.mark, { ids, mark: "unread", undoable: true })).toEqual({ changed: 0, undo: null });
  expect(await call(inbox.mark, { ids, mark: "unread" })).toEqual({ changed: 0 });
});
