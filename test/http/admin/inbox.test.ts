import { describe, expect, test } from "bun:test";
import { createForm } from "../../../src/forms/forms.ts";
import { importSubmissions } from "../../../src/forms/transfer/import.ts";
import type { Submission } from "../../../src/forms/submission.ts";
import { storeSubmission } from "../../../src/forms/submissions.ts";
import { expectError, openAdmin, path } from "../../support/admin.ts";
import { OPERATOR } from "../../support/records/caller.ts";

type Page = { submissions: Submission[]; next: string | null };
type Bulk = { dryRun: boolean; total: number; ids: string[]; upTo: string };

/** The admin API on the forms contact and orders, with submissions to each in turn, oldest first. */
async function openForms() {
  const { app, ask } = await openAdmin();
  const forms = [
    await createForm(app, OPERATOR, { slug: "contact" }),
    await createForm(app, OPERATOR, { slug: "orders" }),
  ];
  const ids: string[] = [];
  for (let index = 0; index < 6; index += 1) {
    const data = JSON.stringify({ email: `${"ab"[index % 2]}@b.example`, n: index });
    ids.push((await storeSubmission(app, forms[index % 2]!, { data, files: [] })).id);
  }
  const list = async (query: string) => (await (await ask(`/submissions${query}`)).json()) as Page;
  const load = (...ids: string[]) =>
    importSubmissions(app, OPERATOR, "orders", ids.map((id) => JSON.stringify({ id, data: {} })).join("\n"));
  return { ask, ids, list, load };
}

const idsOf = ({ submissions }: Page) => submissions.map(({ id }) => id);

describe("submissions of all forms", () => {
  test("are listed in pages with the filters of a form's list", async () => {
    const { ids, list } = await openForms();
    const first = await list("?limit=4");
    expect(idsOf(first)).toEqual(ids.slice(2).toReversed());
    expect(first.submissions.map(({ form }) => form)).toEqual(["orders", "contact", "orders", "contact"]);
    expect(idsOf(await list(`?limit=4&before=${first.next}`))).toEqual(ids.slice(0, 2).toReversed());
    expect(idsOf(await list("?form=orders&field=n=3"))).toEqual([ids[3]!]);
    expect(idsOf(await list("?search=a%20example&state=all&unread=true"))).toEqual([
      ids[4]!,
      ids[2]!,
      ids[0]!,
    ]);
  });

  test("that hold an address are listed alone", async () => {
    const { ask, ids, list } = await openForms();
    expect(idsOf(await list("?email=A@b.example&limit=2"))).toEqual([ids[4]!, ids[2]!]);
    for (const query of [
      "email=a@b.c&form=contact",
      "email=a@b.c&unread=true",
      "email=a@b.c&state=all",
      "email=",
    ])
      await expectError(await ask(`/submissions?${query}`), 400, "invalid", "email");
    await expectError(await ask("/submissions?form=nothing"), 404, "not_found");
    await expectError(await ask("/submissions?until=whenever"), 400, "invalid", "until");
  });

  test("are marked and deleted by filters, after they were counted", async () => {
    const { ask, ids, list } = await openForms();
    const send = async (verb: string, body: object) =>
      (await (await ask(`/submissions/${verb}`, { body })).json()) as Bulk;
    const counted = await send("mark-matching", { form: "orders", mark: "spam", dryRun: true });
    expect([counted.dryRun, counted.total, counted.upTo]).toEqual([true, 3, ids[5]!]);
    const marked = await send("mark-matching", { form: "orders", mark: "spam", upTo: ids[3]! });
    expect([marked.total, marked.ids.toSorted()]).toEqual([2, [ids[1]!, ids[3]!]]);
    const body = { state: "spam", field: ["n=1"], unread: true };
    expect(await send("delete-matching", { ...body, dryRun: true })).toMatchObject({
      total: 1,
      dryRun: true,
    });
    expect(await send("delete-matching", body)).toMatchObject({ total: 1, ids: [ids[1]!], dryRun: false });
    expect(await send("delete", { ids: [ids[3]!, ids[1]!] })).toEqual({ ids: [ids[3]!] } as never);
    expect(idsOf(await list("?state=all"))).toEqual([5, 4, 2, 0].map((index) => ids[index]!));
  });

  test("are paged and changed past imported ids that are no UUIDs of RFC 9562", async () => {
    const { ask, list, load } = await openForms();
    const ids = ["00000000-0000-0000-0000-000000000001", "EEEEEEEE-EEEE-EEEE-EEEE-EEEEEEEEEEEE"];
    await load(...ids);
    const first = await list("?form=orders&limit=1");
    expect(first.next).toBe(ids[1]!.toLowerCase());
    expect(idsOf(await list(`?form=orders&before=${first.next}`))).toHaveLength(4);
    expect(idsOf(await list(`?before=${ids[1]}`))).toHaveLength(7);
    for (const of of ["forms/orders/submissions?limit=1&", "submissions?"])
      expect((await ask(`/${of}before=${first.next}`)).status).toBe(200);
    expect((await ask(`/deliveries?submission=${first.next}`)).status).toBe(200);
    const body = { form: "orders" };
    const counted = (await (
      await ask("/submissions/delete-matching", { body: { ...body, dryRun: true } })
    ).json()) as Bulk;
    expect([counted.total, counted.upTo]).toEqual([5, ids[1]!.toLowerCase()]);
    const deleted = await ask("/submissions/delete-matching", { body: { ...body, upTo: counted.upTo } });
    expect(((await deleted.json()) as Bulk).total).toBe(5);
  });

  test.each([
    ["mark-matching", {}],
    ["mark-matching", { mark: "trash" }],
    ["mark-matching", { mark: "spam", label: [" "] }],
    ["mark-matching", { mark: "read", upTo: "newest" }],
    ["delete-matching", { search: "!" }],
    ["delete-matching", { state: "everything" }],
    ["delete-matching", {}],
    ["delete-matching", { dryRun: false }],
    ["delete-matching", { unread: false }],
    ["delete-matching", { field: [] }],
    ["delete-matching", { upTo: "ffffffff-ffff-7fff-bfff-ffffffffffff" }],
    ["delete-matching", { forms: "contact" }],
    ["delete", { ids: [] }],
  ])("are not changed by %s with %j", async (verb, body) => {
    const { ask } = await openForms();
    await expectError(await ask(`/submissions/${verb}`, { body }), 400, "invalid");
  });

  test("have a timeline, which names who marked them", async () => {
    const { ask, ids } = await openForms();
    await ask("/submissions/mark", { body: { ids: [ids[0]!], mark: "archived" } });
    const { events } = (await (await ask(path("submissions", ids[0]!, "timeline"))).json()) as {
      events: object[];
    };
    expect(events).toMatchObject([{ event: "stored" }, { event: "marked", mark: "archived", who: "admin" }]);
    await expectError(await ask("/submissions/nothing/timeline"), 404, "not_found");
  });

  test("are stored as a test of a form", async () => {
    const { ask } = await openForms();
    const answer = await ask("/forms/contact/test", { method: "POST" });
    expect([answer.status, ((await answer.json()) as Submission).form]).toEqual([201, "contact"]);
    await expectError(await ask("/forms/nothing/test", { method: "POST" }), 404, "not_found");
  });
});
