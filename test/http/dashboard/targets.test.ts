import { expect, test } from "bun:test";
import { AppError } from "../../../src/base/errors.ts";
import { addTarget } from "../../../src/forms/targets.ts";
import { createForm } from "../../../src/forms/forms.ts";
import { listNoticeTargets } from "../../../src/projects/notice-targets.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { openTestApp } from "../../support/app.ts";
import { openDashboard } from "../../support/pages/dashboard.ts";
import { fakeOutgoing } from "../../support/peers/outgoing.ts";
import { OPERATOR } from "../../support/records/caller.ts";

const PAGE = "/projects/shop/targets";

async function openShop() {
  const app = openTestApp();
  const outgoing = fakeOutgoing();
  await createProject(app, OPERATOR, { slug: "shop", environments: ["develop", "live"] });
  const ann = await openDashboard(app, { outgoing: async () => outgoing }).signIn("editor", "ann");
  return { app, ann, outgoing, targets: () => listNoticeTargets(app, OPERATOR, "shop") };
}

test("A target of a project is added with what it hears of, tested, switched off, and deleted", async () => {
  const { ann, outgoing, targets } = await openShop();
  expect((await ann.get(PAGE)).text).toContain("No target gets notices of this project");
  const added = await ann.post(PAGE, {
    target: "https://example.com/hooks/secret-path",
    environment: "live",
    event: ["flag.*", "ramp.ended"],
    digest: "10m",
  });
  expect(added.text).toMatch(/id="secret"[^>]*>\s*whsec_/);
  expect(added.headers.get("content-encoding")).toBeNull();
  const [target] = await targets();
  expect(target).toMatchObject({
    environment: "live",
    events: ["flag.*", "ramp.ended"],
    digest: 600,
    enabled: true,
  });
  await ann.post(PAGE, { target: "mail:ops@example.com", environment: "", digest: "" });
  expect((await targets()).find(({ kind }) => kind === "mail")).toMatchObject({
    environment: null,
    events: null,
    digest: null,
  });
  const { text } = await ann.get(PAGE);
  for (const shown of ["all about flags, ramp ended", "every 10 minutes", ">mail:ops@example.com<"])
    expect(text).toContain(shown);
  expect(text).not.toContain("secret-path");

  const act = (action: string) => ann.post(`${PAGE}/${target!.id}`, { do: action });
  expect((await act("test")).text).toContain("The target answered 200");
  expect(outgoing.sent).toHaveLength(1);
  expect((await act("disable")).path).toBe("/projects/shop/settings");
  expect((await targets()).find(({ id }) => id === target!.id)).toMatchObject({ enabled: false });
  await act("enable");
  expect((await act("rotate")).text).toMatch(/id="secret"[^>]*>\s*whsec_/);
  expect((await act("delete")).text).toContain("Deleted the target");
  expect(await targets()).toHaveLength(1);
  expect((await act("delete")).status).toBe(404);
});

test("A fault of a new target stands at its field, and nothing is stored", async () => {
  const { app, ann, outgoing, targets } = await openShop();
  const good = { target: "https://example.com/hook", environment: "live", digest: "1h", event: ["flag.*"] };
  for (const [field, value, message] of [
    ["target", "hello", "target-error"],
    ["digest", "often", "Write a time such as 10m, 1h or 7d"],
    ["digest", "8d", "from 1 to 604800"],
    ["event", "flag.nope", "events-error"],
    ["environment", "nope", "environment-error"],
  ] as const) {
    const { status, text } = await ann.post(PAGE, { ...good, [field]: value });
    expect([field, value, status >= 400]).toEqual([field, value, true]);
    expect(text).toContain(message);
  }
  outgoing.refusal = new AppError("invalid", "127.0.0.1 is neither public nor permitted");
  const refused = await ann.post(PAGE, { ...good, target: "http://127.0.0.1:9/" });
  expect(refused.text).toContain("127.0.0.1 is neither public nor permitted");
  expect(refused.text).toMatch(/id="event-flag\.\*"[^>]*checked/);
  expect(await targets()).toEqual([]);
  // One of a form is none of the project, whoever asks.
  await createForm(app, OPERATOR, { slug: "contact" });
  outgoing.refusal = null;
  const { id } = await addTarget(app, OPERATOR, "contact", "https://example.com/hook", outgoing);
  expect((await ann.post(`${PAGE}/${id}`, { do: "delete" })).status).toBe(404);
  expect(await app.store.targets.find(id)).toBeDefined();
});

test("A webhook gets headers, a body and a method on the page, whose values are not shown again", async () => {
  const { app, ann, outgoing, targets } = await openShop();
  const request = {
    method: "PUT",
    headers: "X-A: HEADER-SECRET\r\nX-B: HEADER-SECRET\r\n",
    body: '{"a": "{{type}}"}',
  };
  const url = "https://example.com/hook";
  const refused = await ann.post(PAGE, { target: url, ...request, headers: "Host: a" });
  expect(refused.text).toContain('id="request-headers-error"');
  expect((await ann.post(PAGE, { target: url, ...request, body: "no" })).text).toContain(
    'id="request-body-error"',
  );
  await ann.post(PAGE, { target: url, ...request });
  const [target] = await targets();
  const { id } = target!;
  expect(target).toMatchObject({ method: "PUT", headers: ["X-A", "X-B"], body: '{"a": "{{type}}"}' });
  const post = (fields: Record<string, string>) => ann.post(`${PAGE}/${id}`, fields);
  const page = await post({ do: "url" });
  expect(page.text).toMatch(/<textarea[^>]*name="headers"[^>]*>\s*X-A\nX-B<\/textarea>/);
  expect(page.text).not.toContain("HEADER-SECRET");
  await post({ do: "url", target: "", method: "POST", headers: "X-B\r\nX-C: c", body: "" });
  expect((await app.store.targets.find(id))!.request).toEqual({
    method: "POST",
    headers: [
      { name: "X-B", value: "HEADER-SECRET" },
      { name: "X-C", value: "c" },
    ],
    body: null,
  });
  expect((await post({ do: "url", target: "https://example.net/", headers: "X-B" })).text).toContain(
    "Give their values again".toLowerCase(),
  );
  outgoing.sendWebhook = async (_, __, onRequest) => {
    onRequest!({ method: "PUT", url: "https://example.com/…", headers: { "X-B": "…" }, body: "<b>{}</b>" });
    return {
      outcome: "retry",
      code: 500,
      error: "the answer was 500",
      retryAfter: null,
      isTargetDown: false,
    };
  };
  const sample = await post({ do: "test" });
  expect(sample.text).toContain("The sample was not delivered: the answer was 500");
  expect(sample.text).toContain("PUT https://example.com/…\nX-B: …\n\n&lt;b&gt;{}&lt;/b&gt;");
});
