import { expect, test } from "bun:test";
import { createForm } from "../../../../src/forms/forms.ts";
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
  const copied = await post("/forms/contact/copy", { slug: "other", name: "Other" });
  expect(copied.text).toContain("whsec_");
  const wrong = await post("/forms/contact/settings", { checks: "ftp://example.com" });
  expect([wrong.status, wrong.text.includes("check is an http or https address")]).toEqual([400, true]);
});

test("A submission says why a check failed, on its page", async () => {
  const app = openTestApp();
  const { get } = await openDashboard(app).signIn("inbox");
  const form = await createForm(app, OPERATOR, { slug: "contact" });
  const conditions = {
    key: null,
    spam: "unchecked",
    recent: null,
    challenge: null,
    keepsSpam: true,
    maxSubmissions: null,
  };
  const { id } = await storeSubmission(
    app,
    form,
    { data: '{"a":1}', files: [] },
    { conditions: { ...conditions, unchecked: "check.example.com did not answer within 3 s" } },
  );
  const page = (await get(`/inbox/contact/${id}`)).text;
  expect(page).toContain("check.example.com did not answer within 3 s");
  expect(page).toContain("an external check failed");
});
