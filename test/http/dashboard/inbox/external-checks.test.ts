import { expect, test } from "bun:test";
import { createForm } from "../../../../src/forms/forms.ts";
import type { Conditions } from "../../../../src/forms/intake/insertion.ts";
import { storeSubmission } from "../../../../src/forms/submissions.ts";
import { openTestApp } from "../../../support/app.ts";
import { openDashboard } from "../../../support/pages/dashboard.ts";
import { OPERATOR } from "../../../support/records/caller.ts";

const CHECK = "https://check.example.com/contact?token=1";

test("Checks are settings of a form, whose page names their hosts and shows each secret once", async () => {
  const app = openTestApp();
  const { get, post } = await openDashboard(app).signIn("editor");
  await post("/forms/new", { slug: "contact" });
  const saved = await post("/forms/contact/settings", { checks: CHECK, checkFailing: "spam" });
  expect(saved.text).toMatch(/https:\/\/check\.example\.com\/contact\?token=1 {2}whsec_[A-Za-z0-9+/]{43}=/);
  const page = (await get("/forms/contact")).text;
  expect(page).toContain("sends each submission to check.example.com");
  expect(page).not.toContain("whsec_");
  const again = await post("/forms/contact/settings", { checks: CHECK });
  expect(again.text).not.toContain("whsec_");
  await post("/forms/contact/settings", { checks: `${CHECK}\n${CHECK}2` });
  expect((await get("/forms/contact")).text).toContain("to check.example.com, which is spam if that fails");
  const copied = await post("/forms/contact/copy", { slug: "other", name: "Other" });
  expect(copied.text).toContain("whsec_");
  const wrong = await post("/forms/contact/settings", { checks: "ftp://example.com" });
  expect([wrong.status, wrong.text.includes("check is an http or https address")]).toEqual([400, true]);
});

const CONDITIONS = {
  key: null,
  spam: null,
  recent: null,
  challenge: null,
  keepsSpam: true,
  maxSubmissions: null,
};

async function openSubmission(found: Partial<Conditions>) {
  const app = openTestApp();
  const { get } = await openDashboard(app).signIn("inbox");
  const form = await createForm(app, OPERATOR, { slug: "contact" });
  const draft = { data: '{"a":1}', files: [] };
  const { id } = await storeSubmission(app, form, draft, { conditions: { ...CONDITIONS, ...found } });
  const page = (await get(`/inbox/contact/${id}`)).text;
  return { page, list: (await get("/inbox?folder=spam")).text };
}

test("A submission says why a check failed, above its content", async () => {
  const unchecked = "check.example.com did not answer within 3 s";
  const { page } = await openSubmission({ spam: "unchecked", unchecked });
  expect(page).toContain("an external check failed");
  expect(page.indexOf(unchecked)).toBeWithin(page.indexOf("Not checked: "), page.indexOf('id="facts"'));
});

test("Spam that a filter found is learned in a list, and is explained on its page", async () => {
  const { page, list } = await openSubmission({ learned: "learn:casino, link:spam.example" });
  expect(list).toContain('<bdi dir="auto">learned</bdi>');
  expect(list).not.toContain("learn:");
  expect(page).toContain("&quot;casino&quot;, a link to spam.example");
});
