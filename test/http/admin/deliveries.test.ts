import { describe, expect, test } from "bun:test";
import type { Delivery } from "../../../src/delivery/delivery.ts";
import { createForm } from "../../../src/forms/forms.ts";
import { storeSubmission } from "../../../src/forms/submissions.ts";
import { expectError, fresh, openAdmin } from "../../support/admin.ts";
import { OPERATOR } from "../../support/records/caller.ts";

const { app, ask } = await openAdmin();

describe("deliveries", () => {
  /** A form with a submission to two addresses. */
  const submit = async () => {
    const form = await createForm(app, OPERATOR, { slug: fresh() });
    const deliveries = ["a@example.com", "b@example.com"].map((target) => ({
      id: app.nextId(),
      kind: "notification" as const,
      target,
    }));
    const { id } = await storeSubmission(app, form, { data: "{}", files: [] }, { deliveries });
    return { form, id, ids: deliveries.map((each) => each.id) };
  };
  const list = async (query: string) => {
    const answer = await ask(`/deliveries?${query}`);
    expect(answer.status).toBe(200);
    return (await answer.json()) as { deliveries: Delivery[]; next: string | null };
  };

  test("are listed by form, submission and status, in pages, and shown", async () => {
    const { form, id, ids } = await submit();
    await submit();
    const { deliveries } = await list(`form=${form.slug}`);
    expect(deliveries.map((each) => each.id)).toEqual(ids.toReversed());
    expect(await list(`submission=${id}`)).toMatchObject({ deliveries });
    expect(await list(`form=${form.key}&status=failed`)).toEqual({ deliveries: [], next: null });
    const first = await list(`form=${form.slug}&limit=1`);
    const second = await list(`form=${form.slug}&limit=1&before=${first.next}`);
    expect([...first.deliveries, ...second.deliveries]).toEqual(deliveries);
    expect(await (await ask(`/deliveries/${ids[0]}`)).json()).toEqual({
      ...deliveries[1],
      history: [],
    });
  });

  test("are queued again by id, or where they failed", async () => {
    const { ids } = await submit();
    const retry = (body: unknown) => ask("/deliveries/retry", { method: "POST", body });
    expect(await (await retry({ ids })).json()).toEqual({ queued: 2 });
    expect(await (await retry({ failed: true })).json()).toEqual({ queued: 0 });
  });

  test.each([
    ["GET", "/deliveries?status=lost", undefined, 400],
    ["GET", "/deliveries?form=nothing", undefined, 404],
    ["GET", "/deliveries?limit=1001", undefined, 400],
    ["GET", "/deliveries?before=x", undefined, 400],
    ["GET", "/deliveries/019b7ca9-8f2e-704c-8e61-af3eade9a3f6", undefined, 404],
    ["GET", "/deliveries/x", undefined, 404],
    ["POST", "/deliveries/retry", { ids: [] }, 400],
    ["POST", "/deliveries/retry", { ids: ["x"] }, 400],
    ["POST", "/deliveries/retry", { failed: false }, 400],
    ["POST", "/deliveries/retry", { ids: ["019b7ca9-8f2e-704c-8e61-af3eade9a3f6"] }, 404],
  ])("%s %s %p is refused with %d", async (method, path, body, status) => {
    const answer = await ask(path, { method, ...(body && { body }) });
    await expectError(answer, status, status === 404 ? "not_found" : "invalid");
  });
});
