import { expect, test } from "bun:test";
import { setMember } from "../../../src/access/members/members.ts";
import { createUser, deleteUser } from "../../../src/access/users.ts";
import { createForm } from "../../../src/forms/forms.ts";
import { listInbox } from "../../../src/forms/inbox/inbox.ts";
import { readFilter } from "../../../src/forms/inbox/filters.ts";
import {
  assignSubmissions,
  labelSubmissions,
  noteSubmission,
} from "../../../src/forms/inbox/submission-handling.ts";
import { exportPerson } from "../../../src/forms/keeping/person.ts";
import { timelineOf } from "../../../src/forms/inbox/timeline.ts";
import { storeSubmission } from "../../../src/forms/submissions.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { openTestApp } from "../../support/app.ts";
import { OPERATOR, callerNamed } from "../../support/records/caller.ts";
import { codeOf, errorOf, reasonOf } from "../../support/refusals.ts";

async function begin(count = 1) {
  const app = openTestApp();
  const form = await createForm(app, OPERATOR, { slug: "contact" });
  await createUser(app, OPERATOR, { name: "ann", role: "inbox" });
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1)
    ids.push((await storeSubmission(app, form, { data: `{"text":"hello ${index}"}`, files: [] })).id);
  return { app, ids: ids as [string, ...string[]] };
}

test("the timeline says who gave a submission to whom, labeled it and what was noted", async () => {
  const { app, ids } = await begin();
  await assignSubmissions(app, callerNamed("ben"), ids, "ann");
  await labelSubmissions(app, callerNamed("ben"), ids, { add: [" urgent "], remove: [] });
  await noteSubmission(app, callerNamed("ann"), ids[0], "  called back\n");
  await labelSubmissions(app, callerNamed("ann"), ids, { add: [], remove: ["Urgent"] });
  await assignSubmissions(app, callerNamed("ann"), ids, null);
  const [, ...events] = await timelineOf(app, OPERATOR, ids[0]);
  const at = expect.any(String);
  expect(events).toEqual([
    { event: "assigned", at, assignee: "ann", who: "ben" },
    { event: "labeled", at, label: "urgent", who: "ben" },
    { event: "noted", at, text: "called back", who: "ann" },
    { event: "unlabeled", at, label: "urgent", who: "ann" },
    { event: "assigned", at, assignee: null, who: "ann" },
  ]);
});

test("submissions go to users who see them alone", async () => {
  const { app, ids } = await begin();
  expect(await reasonOf(assignSubmissions(app, OPERATOR, ids, "nobody"))).toBe("not_found user-not-found");
  await createProject(app, OPERATOR, { slug: "shop", name: "Shop", environments: ["live"] });
  await createUser(app, OPERATOR, { name: "of-shop", role: "none" });
  expect(await codeOf(assignSubmissions(app, OPERATOR, ids, "of-shop"))).toBe("invalid");
  const viewer = callerNamed("ben", { grants: [{ scopes: ["read"] }] });
  expect(await codeOf(assignSubmissions(app, viewer, ids, "ann"))).toBe("forbidden");
  expect(await codeOf(labelSubmissions(app, viewer, ids, { add: ["x"], remove: [] }))).toBe("forbidden");
  expect(await codeOf(noteSubmission(app, viewer, ids[0], "x"))).toBe("forbidden");
});

test("who is no admin of everything does not learn whether a user exists to whom nothing can be given", async () => {
  const { app, ids } = await begin();
  await createProject(app, OPERATOR, { slug: "shop", name: "Shop", environments: ["live"] });
  await createUser(app, OPERATOR, { name: "of-shop", role: "none" });
  await setMember(app, OPERATOR, "shop", "of-shop", { role: "admin" });
  const whole = { project: "default" };
  for (const caller of [
    callerNamed("inbox", { grants: [{ scopes: ["read", "forms:write"], ...whole }] }),
    callerNamed("head", { grants: [{ scopes: ["admin"], ...whole }] }),
    callerNamed("editor", { grants: [{ scopes: ["read", "forms:write", "flags:write"] }] }),
    callerNamed("ci", { type: "token", grants: [{ scopes: ["forms:write"], ...whole }] }),
  ]) {
    const answers = await Promise.all(
      ["of-shop", "made-up"].map(async (name) =>
        (await errorOf(assignSubmissions(app, caller, ids, name))).replace(name, "…"),
      ),
    );
    expect(answers[0]).toStartWith("not_found: ");
    expect(answers[0]).toBe(answers[1]);
  }
});

test("a label is a short text on one line without commas and quotes, and a note is a text", async () => {
  const { app, ids } = await begin();
  for (const label of ["", " ", "\u200b\u2060", "a,b", 'a"b', "a\nb", "x".repeat(51)])
    expect([label, await codeOf(labelSubmissions(app, OPERATOR, ids, { add: [label], remove: [] }))]).toEqual(
      [label, "invalid"],
    );
  expect(await codeOf(labelSubmissions(app, OPERATOR, ids, { add: ["a"], remove: ["A"] }))).toBe("invalid");
  for (const note of ["", " \n", "\u200b", "half \ud800", "x".repeat(10_001)])
    expect(await codeOf(noteSubmission(app, OPERATOR, ids[0], note))).toBe("invalid");
});

test("a search finds labels and what is assigned to the caller, beside words and in other filters", async () => {
  const { app, ids } = await begin(4);
  const [first, second, third] = ids as [string, string, string, string];
  await labelSubmissions(app, OPERATOR, [first, second], { add: ["Needs an answer"], remove: [] });
  await labelSubmissions(app, OPERATOR, [second, third], { add: ["bug"], remove: [] });
  await assignSubmissions(app, OPERATOR, [second], "ann");
  const found = async (search: string, more: object = {}) => {
    const filter = readFilter({ state: "inbox", search, ...more }, "ann");
    const page = await listInbox(app, OPERATOR, { form: null, limit: 10, before: null, filter });
    return page.submissions.map(({ id }) => ids.indexOf(id));
  };
  expect(await found("label:BUG")).toEqual([2, 1]);
  expect(await found('label:"needs an answer"')).toEqual([1, 0]);
  expect(await found('label:bug label:"needs an answer"')).toEqual([1]);
  expect(await found("is:mine")).toEqual([1]);
  expect(await found("hello label:bug 2")).toEqual([2]);
  expect(await found("is:mine 0")).toEqual([]);
  expect(await found("hello", { label: ["bug"], assignee: "me" })).toEqual([1]);
  expect(await found("hello", { assignee: "ben" })).toEqual([]);
  // A word of a message may look alike.
  expect(await found("label:")).toEqual([]);
});

test("the export of a person has the notes and answers of a submission", async () => {
  const { app } = await begin();
  const form = await createForm(app, OPERATOR, { slug: "other" });
  const draft = { data: '{"email":"ada@example.com"}', files: [] };
  const { id } = await storeSubmission(app, form, draft);
  await noteSubmission(app, callerNamed("ann"), id, "called back");
  await labelSubmissions(app, callerNamed("ann"), [id], { add: ["urgent"], remove: [] });
  const lines = await Array.fromAsync(exportPerson(app, OPERATOR, "ada@example.com", "jsonl"));
  expect(lines.map((line) => JSON.parse(line as string))).toEqual([
    expect.objectContaining({
      id,
      labels: ["urgent"],
      events: [{ kind: "noted", text: "called back", who: "ann", at: expect.any(String) }],
    }),
  ]);
});

test("what was assigned to a user who is deleted is assigned to nobody, and a later user of the name does not get it", async () => {
  const { app, ids } = await begin(2);
  await assignSubmissions(app, OPERATOR, ids, "ann");
  await deleteUser(app, OPERATOR, "ann");
  await createUser(app, OPERATOR, { name: "ann", role: "inbox" });
  const filter = readFilter({ state: "inbox", assignee: "ann" }, "ann");
  const mine = await listInbox(app, OPERATOR, { form: null, limit: 10, before: null, filter });
  expect(mine.submissions).toEqual([]);
  expect((await timelineOf(app, OPERATOR, ids[0])).at(-1)).toMatchObject({
    event: "assigned",
    assignee: null,
  });
});
