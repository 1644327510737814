import { describe, expect, test } from "bun:test";
import { setMember } from "../../../src/access/members/members.ts";
import type { Role } from "../../../src/access/role.ts";
import { authenticate } from "../../../src/access/tokens.ts";
import { createUser } from "../../../src/access/users.ts";
import { createForm } from "../../../src/forms/forms.ts";
import { storeSubmission } from "../../../src/forms/submissions.ts";
import { deleteEnvironment } from "../../../src/projects/environments.ts";
import { MOST_SUBMISSIONS } from "../../../src/projects/project-settings.ts";
import { createProject, getProject } from "../../../src/projects/projects.ts";
import { openTestApp } from "../../support/app.ts";
import { hiddenIn, openDashboard } from "../../support/pages/dashboard.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { codeOf } from "../../support/refusals.ts";

/** Two projects with a form `contact` in each, a submission to it, and users by their roles in them. */
async function open(members: Record<string, { shop?: Role; bank?: Role }> = {}) {
  const app = openTestApp();
  const ids: Record<string, string> = {};
  for (const project of ["shop", "bank"]) {
    await createProject(app, OPERATOR, { slug: project, environments: ["live", "test"] });
    const form = await createForm(app, OPERATOR, { slug: "contact", project });
    const data = JSON.stringify({ message: `To the ${project}` });
    ids[project] = (await storeSubmission(app, form, { data, files: [] })).id;
  }
  const dashboard = openDashboard(app);
  const admin = await dashboard.signIn("admin");
  const browsers: Record<string, typeof admin> = {};
  for (const [name, roles] of Object.entries(members)) {
    await createUser(app, OPERATOR, { name, role: "none" });
    for (const [project, role] of Object.entries(roles))
      await setMember(app, OPERATOR, project, name, { role });
    browsers[name] = await dashboard.signIn("viewer", name);
  }
  return { app, ids, admin, ...dashboard, as: (name: string) => browsers[name]! };
}

test("The list of projects is searched by name, among those that a member sees", async () => {
  const { app, admin, as } = await open({ ann: { shop: "viewer" } });
  expect((await admin.get("/projects")).text).not.toContain("Search projects");
  for (let count = 1; count <= 10; count += 1)
    await createProject(app, OPERATOR, { slug: `site-${count}`, environments: ["live"] });
  const whole = await admin.get("/projects");
  expect(whole.text).toContain("Search projects");
  const found = await admin.get("/projects?q=SITE-1");
  const slugs = [...found.text.matchAll(/id="project-([^"]+)"/g)].map(([, slug]) => slug);
  expect(slugs).toEqual(["site-1", "site-10"]);
  const none = await admin.get("/projects?q=%3Cb%3Enothing");
  expect(none.text).toContain("No project matches");
  expect(none.text).not.toContain("<b>nothing");
  expect((await as("ann").get("/projects?q=bank")).text).not.toContain('id="project-bank"');
  expect((await as("ann").get("/projects?q=sho")).text).toContain('id="project-shop"');
});

describe("Forms of several projects", () => {
  test("stand in a table for each project, and in one where a member sees one", async () => {
    const { admin, as } = await open({ ann: { shop: "inbox" } });
    const all = await admin.get("/forms");
    expect(all.text).toContain("Forms of bank");
    expect(all.text.indexOf("Forms of bank")).toBeLessThan(all.text.indexOf("Forms of shop"));
    const own = await as("ann").get("/forms");
    expect(own.text).toContain('href="/dashboard/forms/shop:contact"');
    expect(own.text).not.toContain("bank");
  });

  test("fill an inbox of a project, of a form, or of all that a member sees", async () => {
    const { admin, as } = await open({ ann: { shop: "inbox" } });
    const inbox = async (browser: typeof admin, path: string) => {
      const { text } = await browser.get(path);
      return ["shop", "bank"].filter((project) => text.includes(`To the ${project}`));
    };
    expect(await inbox(admin, "/inbox")).toEqual(["shop", "bank"]);
    expect(await inbox(admin, "/inbox?form=shop%3A")).toEqual(["shop"]);
    expect(await inbox(admin, "/inbox/bank:contact")).toEqual(["bank"]);
    expect((await admin.get("/inbox")).text).toContain(">All of shop</option>");
    expect(await inbox(as("ann"), "/inbox")).toEqual(["shop"]);
    expect((await as("ann").get("/inbox?form=bank%3A")).status).toBe(404);
  });

  test("are marked in what a member sees, whether another id is of another project or of none", async () => {
    const { app, ids, as } = await open({ ann: { shop: "inbox" } });
    for (const [mark, other] of [
      ["archived", ids["bank"]!],
      ["inbox", crypto.randomUUID()],
    ] as const) {
      const marked = await as("ann").post("/inbox/marks", { submission: [ids["shop"]!, other], mark });
      expect([mark, marked.status, marked.text.includes("1 submission ")]).toEqual([mark, 200, true]);
      const standing = await app.store.submissions.standing([ids["shop"]!, ids["bank"]!]);
      expect(standing[ids["shop"]!]!.state).toBe(mark);
      expect(standing[ids["bank"]!]!.state).toBe("inbox");
    }
  });

  test("offer buttons by the rights in their own project", async () => {
    const { as, ids } = await open({ ann: { shop: "inbox", bank: "viewer" } });
    const ann = as("ann");
    const pages = [
      ["/forms/PROJECT:contact", "Send a test"],
      ["/inbox/PROJECT:contact/ID", 'value="archived"'],
      ["/inbox/PROJECT:contact", 'id="bulk"'],
    ] as const;
    for (const project of ["shop", "bank"])
      for (const [path, button] of pages) {
        const { text } = await ann.get(path.replace("PROJECT", project).replace("ID", ids[project]!));
        expect([project, path, text.includes(button)]).toEqual([project, path, project === "shop"]);
      }
    const { text } = await ann.get("/inbox");
    expect(text.match(/type="checkbox" name="submission"/g)).toHaveLength(1);
    for (const page of ["settings", "delete", "move"])
      expect([page, (await ann.get(`/forms/bank:contact/${page}`)).status]).toEqual([page, 403]);
  });

  test("move to projects in which the person may write forms", async () => {
    const { app, as } = await open({ ann: { shop: "inbox", bank: "inbox" } });
    const ann = as("ann");
    await createProject(app, OPERATOR, { slug: "secret" });
    const page = await ann.get("/forms/shop:contact/move");
    expect(page.text).toContain('<option value="bank"');
    expect(page.text).not.toContain("secret");
    const taken = await ann.post("/forms/shop:contact/move", { project: "bank" });
    expect([taken.status, taken.text.includes("already exists")]).toEqual([409, true]);
    expect((await ann.post("/forms/shop:contact/move", { project: "secret" })).status).toBe(404);
    await createForm(app, OPERATOR, { slug: "order", project: "shop" });
    const moved = await ann.post("/forms/shop:order/move", { project: "bank" });
    expect([moved.path, moved.text.includes("order is in bank now")]).toEqual(["/forms/bank:order", true]);
  });
});

describe("The admin of a project", () => {
  test("sets its name and color, and reads the limits, which an admin of everything sets", async () => {
    const { app, admin, as } = await open({ ann: { shop: "admin" } });
    const path = "/projects/shop/settings";
    const limits = {
      maxSubmissions: "1000",
      maxStorage: "1 MB",
      mailFrom: "Shop <shop@example.com>",
    };
    expect((await admin.post(path, limits)).text).toContain("Saved the settings of shop");
    const ann = as("ann");
    const page = await ann.get(path);
    expect(page.text).toContain("at most 1000; 1 today");
    expect(page.text).toContain("at most 1 MB; ");
    expect(page.text).not.toContain('name="maxSubmissions"');
    expect((await ann.post(path, limits)).status).toBe(403);
    const before = { "before-name": hiddenIn(page, "before-name"), "before-accent": "" };
    await ann.post(path, { ...before, name: "Our shop", accent: "#A02040" });
    expect(await getProject(app, "shop")).toMatchObject({
      name: "Our shop",
      accent: "#a02040",
      mailFrom: "Shop <shop@example.com>",
      maxSubmissions: 1000,
      maxStorage: 1_048_576,
    });
    const pale = await ann.post(path, { name: "Our shop", accent: "#ffffff" });
    expect([pale.status, pale.text.includes("#ffffff has a contrast of")]).toEqual([400, true]);
    for (const [name, value] of [
      ["maxSubmissions", "many"],
      ["maxStorage", "10"],
      ["mailFrom", "nobody"],
      ["name", ""],
    ])
      expect([name, (await admin.post(path, { [name!]: value! })).status]).toEqual([name, 400]);
    const most = await admin.post(path, { maxSubmissions: String(MOST_SUBMISSIONS) });
    expect(most.text).toContain("Saved the settings of shop");
    const beyond = await admin.post(path, { maxSubmissions: String(MOST_SUBMISSIONS + 1) });
    expect(beyond.text).toContain(`a whole number from 1 to ${MOST_SUBMISSIONS}`);
  });

  test("makes, sees and revokes tokens of it alone, and sees a secret once", async () => {
    const { app, admin, as } = await open({ ann: { shop: "admin" } });
    const ann = as("ann");
    const path = "/projects/shop/tokens";
    const typed = { name: "ci", scope: ["flags:write"], place: "shop/live", expires: "30d" };
    await admin.post("/access/tokens", { ...typed, name: "elsewhere", place: "bank" });
    const made = await ann.post(path, typed);
    const [, secret] = /(ff_[\w-]+)/.exec(made.text)!;
    expect(await authenticate(app, secret!)).toMatchObject({ project: "shop", environment: "live" });
    const list = await ann.get(path);
    expect([list.text.includes("elsewhere"), list.text.includes(secret!)]).toEqual([false, false]);
    expect((await ann.post(path, { ...typed, name: "other", place: "bank" })).status).toBe(400);
    expect((await ann.post("/projects/bank/tokens", { ...typed, place: "bank" })).status).toBe(404);
    expect((await ann.get("/access/tokens")).status).toBe(403);
    expect((await ann.post(`${path}/elsewhere`, {})).status).toBe(404);
    expect((await ann.post(`${path}/ci`, {})).text).toContain("Revoked ci");
    expect(await codeOf(authenticate(app, secret!))).toBe("unauthenticated");
  });

  test("does not delete it, which takes the name of a project with submissions", async () => {
    const { app, admin, as } = await open({ ann: { shop: "admin" } });
    expect((await as("ann").get("/projects/shop/settings")).text).not.toContain("Delete shop");
    expect((await as("ann").get("/projects/shop/delete")).status).toBe(403);
    const page = await admin.get("/projects/shop/delete");
    expect(page.text).toContain("Its forms hold 1 submission.");
    expect((await admin.post("/projects/shop/delete", { name: "shop" })).text).toContain("is deleted");
    expect(await app.store.projects.find("shop")).toBeUndefined();
  });

  test("changes and removes members, and ends invitations", async () => {
    const { app, as } = await open({ ann: { shop: "admin" }, ben: { shop: "viewer" } });
    const ann = as("ann");
    const path = "/projects/shop/members";
    expect((await ann.get(path)).text).not.toContain("Add a user");
    const set = { do: "set", user: "ben", role: "editor", environment: ["test"] };
    expect((await ann.post(path, set)).text).toContain("ben is editor in shop.");
    expect(await app.store.members.ofUser("ben")).toMatchObject([{ environments: ["test"] }]);
    expect((await ann.post(path, { ...set, user: "nobody" })).status).toBe(404);
    expect((await ann.get(path)).text).toContain("Save the role of ben");
    // Without an environment left, a save would widen the role to all of them.
    await deleteEnvironment(app, OPERATOR, "shop", "test");
    expect((await ann.get(path)).text).not.toContain("Save the role of ben");
    await ann.post(path, { do: "remove", user: "ben" });
    expect((await as("ben").get("/projects/shop")).status).toBe(404);
    const { text } = await ann.post(path, { do: "invite", role: "viewer" });
    const [, link] = /\/dashboard(\/invitation\/[\w-]+)/.exec(text)!;
    const id = hiddenIn(await ann.get(path), "invitation");
    await ann.post(path, { do: "uninvite", invitation: id });
    expect((await as("ben").get(link!)).status).toBe(404);
  });
});

describe("An invitation", () => {
  test("makes a new user, who sees that project alone, or a member of somebody signed in, once", async () => {
    const { admin, as, openBrowser } = await open({ ben: { bank: "viewer" } });
    const invite = async () => {
      const { text } = await admin.post("/projects/shop/members", { do: "invite", role: "editor" });
      return /\/dashboard(\/invitation\/[\w-]+)/.exec(text)![1]!;
    };
    const link = await invite();
    const guest = openBrowser();
    expect((await guest.get(link)).text).toContain("shop");
    const typed = { name: "cleo", password: "correct horse battery" };
    expect((await guest.post(link, { ...typed, password: "short" })).status).toBe(400);
    await guest.post(link, typed);
    expect((await guest.get("/projects/shop")).status).toBe(200);
    expect((await guest.get("/projects/bank")).status).toBe(404);
    expect((await openBrowser().get(link)).status).toBe(404);
    const second = await invite();
    await as("ben").post(second, {});
    expect((await as("ben").get("/me")).text).toContain("In shop");
  });
});

test("The page of a user names projects, factors and sessions, each for what it is", async () => {
  const { app, admin } = await open({ ann: { shop: "editor", bank: "viewer" } });
  const session = { user: "ann", method: "cli" as const, address: "192.0.2.1", expiresAt: null };
  const at = app.now();
  const stored = { id: "aaaa-bbbb-cccc", agent: "formflag on laptop", createdAt: at, seenAt: at };
  const login = { session: { ...session, ...stored }, hash: "0".repeat(64), most: 50 };
  await app.store.sessions.insert(login, null);
  const page = await admin.get("/access/users/ann");
  expect(page.text).toContain('href="/dashboard/projects/shop/members"');
  expect(page.text).toContain("Command line, formflag on laptop");
  expect(page.text).toContain("formflag login");
  const ended = await admin.post("/me/sessions/aaaa-bbbb-cccc", { from: "user", user: "ann" });
  expect([ended.path, ended.text.includes("Command line")]).toEqual(["/access/users/ann", false]);
  const set = await admin.post("/access/users/ann", { do: "role", role: "viewer", on: "user" });
  expect([set.path, set.text.includes("ann is viewer now")]).toEqual(["/access/users/ann", true]);
  expect((await admin.get("/access/users/nobody")).status).toBe(404);
});
