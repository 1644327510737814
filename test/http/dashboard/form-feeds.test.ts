import { expect, test } from "bun:test";
import { listFeeds } from "../../../src/forms/feeds/feeds.ts";
import { createForm } from "../../../src/forms/forms.ts";
import { addTarget } from "../../../src/forms/targets.ts";
import { storeSubmission } from "../../../src/forms/submissions.ts";
import { openTestApp } from "../../support/app.ts";
import { openDashboard } from "../../support/pages/dashboard.ts";
import { fakeOutgoing } from "../../support/peers/outgoing.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { failDeliveries } from "../../support/records/failing.ts";

const PATH = "/forms/contact/feeds";

async function open() {
  const app = openTestApp();
  const form = await createForm(app, OPERATOR, { slug: "contact" });
  const feeds = async () =>
    (await listFeeds(app, OPERATOR, { form: "contact", limit: 10, after: null })).items;
  return { app, form, feeds, ...openDashboard(app) };
}

test("A feed is created with its address shown once, listed and revoked", async () => {
  const { app, feeds, signIn } = await open();
  await createForm(app, OPERATOR, { slug: "other" });
  const { get, post } = await signIn("inbox");
  expect((await get("/forms/contact")).text).toContain(`action="/dashboard${PATH}"`);
  expect((await get(PATH)).text).toContain("There are no feeds yet");
  const created = await post(PATH, { format: "csv", name: "Team", fields: "name, email", since: "30d" });
  expect(created.text).toMatch(/http:\/\/dashboard\.test\/v1\/feeds\/[\w-]{43}\.csv/);
  const [feed] = await feeds();
  expect(feed).toMatchObject({ name: "Team", fields: ["name", "email"], since: 2_592_000 });
  const { text } = await get(PATH);
  expect(text).toContain("name, email; of 30 days; at most 1000");
  expect(text).not.toContain("/v1/feeds/");
  expect((await post(`/forms/other/feeds/${feed!.id}`, {})).status).toBe(404);
  expect((await post(`${PATH}/${feed!.id}`, {})).text).toContain("Revoked the feed");
  expect(await feeds()).toEqual([]);
});

test("A feed that was typed wrong is shown again with its faults", async () => {
  const { feeds, signIn } = await open();
  const { post } = await signIn("inbox");
  const wrong = await post(PATH, { format: "csv", name: "Team", since: "soon" });
  expect(wrong.status).toBe(400);
  expect(wrong.text).toContain("Write a time such as 30m, 12h or 90d.");
  expect(wrong.text).toContain('value="Team"');
  expect((await post(PATH, { format: "xml" })).text).toContain("Format is one of csv, json, atom.");
  expect((await post(PATH, { format: "csv", search: "is:mine" })).text).toContain("no is:mine");
  expect(await feeds()).toEqual([]);
});

test("A viewer sees feeds without their buttons", async () => {
  const { signIn } = await open();
  const { text } = await (await signIn("viewer")).get(PATH);
  expect(text).toContain("There are no feeds yet");
  expect(text).not.toContain("Create the feed");
});

test("The page of a form says how its targets are", async () => {
  const { app, form, signIn } = await open();
  const target = await addTarget(app, OPERATOR, "contact", "https://example.com/hook", fakeOutgoing());
  const { get } = await signIn("inbox");
  expect((await get("/forms/contact")).text).toContain("nothing was sent");
  const delivery = { id: app.nextId(), kind: "webhook" as const, target: target.id };
  await storeSubmission(app, form, { data: "{}", files: [] }, { deliveries: [delivery] });
  await failDeliveries(app, "refused");
  const { text } = await get("/forms/contact");
  expect(text).toMatch(new RegExp(`deliveries/${delivery.id}"><span class="badge bad">Failed</span></a>`));
  expect(text).toContain("1 of 1 failed");
});
