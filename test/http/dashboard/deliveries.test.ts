import { describe, expect, test } from "bun:test";
import type { DeliveryStatus } from "../../../src/delivery/delivery-status.ts";
import { createForm } from "../../../src/forms/forms.ts";
import { storeSubmission } from "../../../src/forms/submissions.ts";
import { addTarget, listTargets } from "../../../src/forms/targets.ts";
import { openTestApp } from "../../support/app.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { openDashboard } from "../../support/pages/dashboard.ts";
import { fakeOutgoing } from "../../support/peers/outgoing.ts";

const app = openTestApp();
const dashboard = openDashboard(app);
const inbox = dashboard.signIn("inbox");
let forms = 0;

/** A delivery to a webhook that has ended in a status, or waits. */
async function openDelivery(status: DeliveryStatus, error: string | null = null) {
  forms += 1;
  const form = await createForm(app, OPERATOR, { slug: `form-${forms}` });
  const target = await addTarget(app, OPERATOR, form.slug, "https://example.com/secret", fakeOutgoing());
  const delivery = { id: app.nextId(), kind: "webhook" as const, target: target.id };
  const submission = await storeSubmission(app, form, { data: "{}", files: [] }, { deliveries: [delivery] });
  const settled = { id: delivery.id, status, attempts: 1, dueAt: app.now() + 1000, code: 500, error };
  const turn = {
    holder: "test",
    now: app.now(),
    databaseNow: app.now(),
    leaseUntil: app.now() + 1000,
    renewed: [],
    blocked: [],
    after: null,
  };
  await app.store.deliveries.turn({ ...turn, settled: [], perLane: 10, limit: 10 });
  const attempt = { at: app.now(), duration: 7 };
  await app.store.deliveries.turn({ ...turn, settled: [{ ...settled, attempt }], perLane: 10, limit: 0 });
  return { form: form.slug, id: delivery.id, submission: submission.id };
}

const statusOf = async (id: string) => (await app.store.deliveries.find(id))!.status;

describe("deliveries", () => {
  test("are listed by status and form, without the secrets of their targets", async () => {
    const failed = await openDelivery("failed", "<script>alert(1)</script>");
    const delivered = await openDelivery("delivered");
    const all = await (await inbox).get("/deliveries");
    expect(all.text).toContain(`delivery-${failed.id}`);
    expect(all.text).toContain(`delivery-${delivered.id}`);
    expect(all.text).toContain("https://example.com/…");
    expect(all.text).not.toContain("secret");
    expect(all.text).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    const some = await (await inbox).get(`/deliveries?status=failed&form=${failed.form}`);
    expect(some.text).toContain(`delivery-${failed.id}`);
    expect(some.text).not.toContain(`delivery-${delivered.id}`);
    expect(some.text).toContain(`formflag deliveries list --form ${failed.form} --status failed`);
    const older = await (await inbox).get(`/deliveries?before=${failed.id}`);
    expect(older.text).not.toContain(`delivery-${delivered.id}`);
  });

  test("are those of one form by a link with its name", async () => {
    const { form } = await openDelivery("delivered");
    const named = await createForm(app, OPERATOR, { slug: "named", name: "Write <to> us" });
    const { text } = await (await inbox).get(`/deliveries?status=delivered`);
    expect(text).toContain(`href="/dashboard/deliveries?status=delivered&amp;form=${form}"`);
    expect(text).not.toContain("<select");
    const none = await (await inbox).get(`/deliveries?form=${named.slug}`);
    expect(none.text).toContain("Write &lt;to&gt; us");
    expect(none.text).toContain("There are none");
  });

  test("are sent again after a question where the receiver has them already", async () => {
    const [failed, delivered] = [await openDelivery("failed"), await openDelivery("delivered")];
    const asks = async (path: string) =>
      (await (await inbox).get(path)).text.includes("The receiver has it already");
    for (const { id, form } of [failed, delivered]) {
      expect(await asks(`/deliveries/${id}`)).toBe(id === delivered.id);
      expect(await asks(`/deliveries?form=${form}`)).toBe(id === delivered.id);
    }
  });

  test("show each attempt, what was sent, and the submission", async () => {
    const { id, form, submission } = await openDelivery("failed", "no such host");
    const { text } = await (await inbox).get(`/deliveries/${id}`);
    for (const shown of [
      "7 ms",
      "500",
      "no such host",
      "submission.created",
      `/dashboard/inbox/${form}/${submission}`,
    ])
      expect(text).toContain(shown);
    expect(text).toContain(`formflag deliveries retry ${id}`);
  });

  test("are sent again, one or all of a form that failed", async () => {
    const [one, other] = [await openDelivery("failed"), await openDelivery("failed")];
    const { text, path } = await (await inbox).post("/deliveries/retry", { id: one.id, one: "1" });
    expect(path).toBe(`/deliveries/${one.id}`);
    expect(text).toContain("1 delivery is queued again.");
    expect([await statusOf(one.id), await statusOf(other.id)]).toEqual(["queued", "failed"]);
    const all = await (
      await inbox
    ).post("/deliveries/retry", { failed: "1", form: other.form, status: "failed" });
    expect(all.path).toBe(`/deliveries?status=failed&form=${other.form}`);
    expect(await statusOf(other.id)).toBe("queued");
  });

  test("lead to another URL of their target, which is typed again if it is refused", async () => {
    const { id, form } = await openDelivery("failed", "the answer was 404");
    const [target] = await listTargets(app, OPERATOR, form);
    const page = `/forms/${form}/targets/${target!.id}`;
    expect((await (await inbox).get(`/deliveries/${id}`)).text).toContain(`action="/dashboard${page}"`);
    const asked = await (await inbox).post(page, { do: "url" });
    expect(asked.text).toContain("New URL");
    const refused = await (await inbox).post(page, { do: "url", target: "example.com/new" });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('value="example.com/new"');
    const { text, path } = await (await inbox).post(page, { do: "url", target: "https://new.example/x" });
    expect([path, text.includes("Changed the target https://new.example/…")]).toEqual([
      `/forms/${form}`,
      true,
    ]);
    expect((await app.store.targets.find(target!.id))!.url).toBe("https://new.example/x");
  });

  test("are not sent again by a viewer, who sees no button for it", async () => {
    const { id } = await openDelivery("failed");
    const viewer = await dashboard.signIn("viewer");
    for (const path of ["/deliveries", `/deliveries/${id}`])
      expect((await viewer.get(path)).text).not.toContain('action="/dashboard/deliveries/retry"');
    expect((await viewer.post("/deliveries/retry", { id })).status).toBe(403);
    expect(await statusOf(id)).toBe("failed");
  });

  test.each([
    ["/deliveries?form=nothing", 404],
    ["/deliveries?before=x", 400],
    ["/deliveries/x", 404],
    ["/deliveries/019b7ca9-8f2e-704c-8e61-af3eade9a3f6", 404],
  ])("%s is %d", async (path, status) => {
    expect((await (await inbox).get(path)).status).toBe(status);
  });

  test.each([
    {},
    { id: "x" },
    { id: "019b7ca9-8f2e-704c-8e61-af3eade9a3f6" },
    { failed: "1", form: "nothing" },
  ])("nothing is sent again for %j", async (fields: Record<string, string>) => {
    expect((await (await inbox).post("/deliveries/retry", fields)).status).toBeOneOf([400, 404]);
  });
});
