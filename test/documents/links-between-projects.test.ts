import { describe, expect, test } from "bun:test";
import { setMember } from "../../src/access/members/members.ts";
import { newSession } from "../../src/access/sign-in.ts";
import { createToken } from "../../src/access/tokens.ts";
import { createUser } from "../../src/access/users.ts";
import { setFlag } from "../../src/flags/flags.ts";
import { createForm, setForm } from "../../src/forms/forms.ts";
import { setSource } from "../../src/memberships/sources.ts";
import { createProject } from "../../src/projects/projects.ts";
import { clientAt, openServices, openTestApp } from "../support/app.ts";
import { ROOT, bearer } from "../support/postgres/world.ts";
import { OPERATOR } from "../support/records/caller.ts";
import { BROWSER } from "../support/records/users.ts";

/** Two projects: a flag of `shop` opens a form of `bank`, and a form of `shop` fills a segment of `bank`. */
async function openLinked() {
  const app = openTestApp();
  const admin = await openServices(app).admin();
  for (const slug of ["shop", "bank"])
    await createProject(app, OPERATOR, { slug, environments: ["develop", "live"] });
  const live = (project: string) => ({ project, environment: "live" });
  const keys: string[] = [];
  for (const project of ["shop", "bank"]) {
    await setFlag(app, OPERATOR, { ...live(project), flag: `${project}-open` }, { enabled: true });
    keys.push((await createForm(app, OPERATOR, { slug: `${project}-signup`, project })).key);
  }
  await setForm(app, OPERATOR, "bank-signup", { openWhen: "shop/live/shop-open" });
  const source = { form: "shop:shop-signup", field: "email" };
  await setSource(app, OPERATOR, { ...live("bank"), segment: "linked" }, source, null);
  const send = async (headers: Record<string, string>, method: string, path: string, body?: unknown) => {
    const answer = await admin.request(
      ROOT + path,
      {
        method,
        headers: { ...headers, "content-type": "application/json", "x-confirm": "*" },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      },
      { client: clientAt("127.0.0.1") },
    );
    return { status: answer.status, text: await answer.text() };
  };
  const signIn = async (name: string) => {
    const { secret, stored } = newSession(app, name, "cli", BROWSER, app.now() + 86_400_000);
    await app.store.sessions.insert(stored, null);
    return bearer(secret);
  };
  /** A new user with a role in a project, or with null in every project. */
  const userWith = async (role: "viewer" | "editor" | "admin", project: string | null) => {
    const name = `${role}-of-${project ?? "all"}`;
    await createUser(app, OPERATOR, { name, role: project === null ? role : "none" });
    if (project !== null) await setMember(app, OPERATOR, project, name, { role });
    return signIn(name);
  };
  const tokenOf = async (project: string) =>
    bearer((await createToken(app, OPERATOR, { name: `token-${project}`, project })).token);
  return { app, send, userWith, tokenOf, keys };
}

const { send, userWith, tokenOf, keys } = await openLinked();
const callers = {
  "a member": await userWith("admin", "shop"),
  "a token": await tokenOf("shop"),
};
const everywhere = await userWith("admin", null);

const DELETIONS = [
  ["/projects/shop/flags/shop-open", 'form "bank-signup" in project "bank"'],
  ["/projects/shop/environments/live", 'form "bank-signup" in project "bank"'],
  ["/forms/shop-signup", 'segment "linked" of bank/live'],
] as const;

const documentOf = (segment: unknown) => ({
  document: { projects: { shop: { environments: { live: { segments: { near: segment } } } } } },
  dryRun: true,
});

const PRUNED = {
  document: { projects: { shop: { flags: {}, forms: {}, environments: { develop: {}, live: {} } } } },
  prune: true,
  confirmed: true,
};

describe.each(Object.entries(callers))("to %s of one project,", (_, headers) => {
  test("a refusal names nothing of another project that depends on what is deleted", async () => {
    for (const [path, named] of DELETIONS) {
      const seen = await send(everywhere, "DELETE", path);
      expect([path, seen.status, seen.text.includes(named.replaceAll('"', '\\"'))]).toEqual([
        path,
        409,
        true,
      ]);
      const refused = await send(headers, "DELETE", path);
      expect([path, refused.status, refused.text.includes("bank")]).toEqual([path, 409, false]);
    }
    const pruned = await send(headers, "POST", "/apply", PRUNED);
    expect([pruned.status, pruned.text.includes("bank")]).toEqual([409, false]);
  });

  test("a document that names a form of another project is like one that names nothing", async () => {
    for (const [there, nowhere] of [
      ["bank-signup", "bank-nothing"],
      ["bank:bank-signup", "bank:bank-nothing"],
      ["bank:bank-signup", "none:bank-signup"],
      [keys[1]!, "a".repeat(24)],
    ] as const) {
      const [one, other] = await Promise.all(
        [there, nowhere].map((form) =>
          send(headers, "POST", "/apply", documentOf({ source: { form, field: "email" } })),
        ),
      );
      expect(one!.status).toBe(400);
      expect(one!.text.replaceAll(there, "X")).toBe(other!.text.replaceAll(nowhere, "X"));
    }
  });
});

test("a segment that a form of another project fills may stay as it is in a document of one who does not see the form", async () => {
  const member = await userWith("admin", "bank");
  const exported = await send(member, "GET", "/export");
  expect(exported.text).toContain("shop:shop-signup");
  const document = JSON.parse(exported.text) as unknown;
  const applied = await send(member, "POST", "/apply", { document });
  expect([applied.status, JSON.parse(applied.text)]).toEqual([200, { changes: [], warnings: [] }]);
  // Its members are those of the form.
  const members = await send(member, "GET", "/projects/bank/environments/live/segments/linked/members");
  expect([members.status, members.text.includes("linked")]).toEqual([403, true]);
});

test("an editor reads all that a viewer reads", async () => {
  for (const role of ["viewer", "editor"] as const) {
    const headers = await userWith(role, "shop");
    for (const path of ["/export", "/history", "/stats"])
      expect([role, path, (await send(headers, "GET", path)).status]).toEqual([role, path, 200]);
  }
});
