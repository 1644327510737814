import { describe, expect, test } from "bun:test";
import { createForm } from "../../../../src/forms/forms.ts";
import { storeSubmission } from "../../../../src/forms/submissions.ts";
import { createProject } from "../../../../src/projects/projects.ts";
import { openTestApp } from "../../../support/app.ts";
import { hiddenIn, openDashboard } from "../../../support/pages/dashboard.ts";
import { OPERATOR } from "../../../support/records/caller.ts";

const WELCOME = "# Welcome\n\nYou are in.";

/** A project with a form whose senders confirm, and the pages of an admin. */
async function openBeta() {
  const app = openTestApp();
  await createProject(app, OPERATOR, { slug: "shop", environments: ["live"] });
  const form = await createForm(app, OPERATOR, { slug: "signup", project: "shop", optIn: "email" });
  return { app, form, ...(await openDashboard(app).signIn("admin")) };
}

describe("the page of a segment that a form fills", () => {
  const path = "/projects/shop/environments/live/segments/beta";
  const source = { as: "form", form: "signup", field: "email", approve: "on", welcome: WELCOME };

  test("is called like the segment, and has its members and its mail", async () => {
    const { app, form, get, post } = await openBeta();
    const set = await post("/projects/shop/segments/new", { ...source, environment: "live", name: "beta" });
    expect(set.path).toBe(path);
    await storeSubmission(app, form, { data: '{"email":"ann@example.com"}', files: [] });
    const { text } = await get(path);
    expect(text).toMatch(/<h1[^>]*>(<[^>]*>)*beta</);
    expect(text).toContain("once approved and welcomed by mail");
    expect(text).toMatch(/<textarea[^>]*name="welcome"[^>]*>\n?# Welcome\n\nYou are in\.</);
    expect(text).toContain("0 members, 1 pending.");
    const approved = await post(`${path}/approve`, { value: "ann@example.com" });
    expect(approved.text).toContain("1 member.");
    expect([hiddenIn(approved, "value"), hiddenIn(approved, "undo")]).toEqual(["ann@example.com", "1"]);
    const undone = await post(`${path}/approve`, { value: "ann@example.com", undo: "1" });
    expect(undone.text).toContain("ann@example.com is pending again.");
    expect(undone.text).toContain("0 members, 1 pending.");
  });

  test("says beside the mail what is wrong with it", async () => {
    const { post } = await openBeta();
    const wrong = { ...source, environment: "live", name: "beta", welcome: "Welcome" };
    const { text, status } = await post("/projects/shop/segments/new", wrong);
    expect(status).toBe(400);
    expect(text).toMatch(/<textarea[^>]*name="welcome"[^>]*aria-invalid/);
    expect(text).not.toMatch(/<input[^>]*name="form"[^>]*aria-invalid/);
    expect(text).toContain("the first line is # Subject, and the text follows");
  });
});

test("a submission that waits for its sender says so, and cannot be answered", async () => {
  const { app, form, get } = await openBeta();
  const consent = JSON.stringify({ at: "2027-01-01T00:00:00.000Z", address: null, text: "Signup" });
  const conditions = {
    key: null,
    spam: null,
    recent: null,
    challenge: null,
    keepsSpam: true,
    maxSubmissions: null,
  };
  const draft = { data: '{"email":"ann@example.com"}', files: [] };
  const { id } = await storeSubmission(app, form, draft, { conditions: { ...conditions, consent } });
  for (const page of [
    "/inbox/shop:signup?folder=unconfirmed",
    `/inbox/shop:signup/${id}?folder=unconfirmed`,
  ]) {
    const { text } = await get(page);
    expect([
      page,
      text.includes("Its sender was asked by mail to confirm it."),
      text.includes("reply-text"),
    ]).toEqual([page, true, false]);
  }
});
