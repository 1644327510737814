import { describe, expect, test } from "bun:test";
import { createExperiment } from "../../../src/experiments/experiments.ts";
import { setFlag } from "../../../src/flags/flags.ts";
import { createForm } from "../../../src/forms/forms.ts";
import { storeSubmission } from "../../../src/forms/submissions.ts";
import { setEnvironment } from "../../../src/projects/environments.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { openTestApp } from "../../support/app.ts";
import { openDashboard } from "../../support/pages/dashboard.ts";
import { OPERATOR } from "../../support/records/caller.ts";

async function openShop() {
  const app = openTestApp();
  const form = await createForm(app, OPERATOR, { slug: "contact", name: "Write to us" });
  const draft = { data: '{"email":"ada@example.com","message":"Where is my <b>order</b>?"}', files: [] };
  const { id } = await storeSubmission(app, form, draft);
  await createProject(app, OPERATOR, { slug: "shop", environments: ["develop", "live"] });
  for (const flag of ["checkout", "checkout-old", "search"])
    for (const environment of ["develop", "live"])
      await setFlag(
        app,
        OPERATOR,
        { project: "shop", environment, flag },
        { enabled: environment === "live" },
      );
  await setEnvironment(app, OPERATOR, "shop", "live", { locked: true });
  const dashboard = openDashboard(app);
  /** The results for a role: kind, label and address; of an action, what it sends. */
  const go = async (role: "admin" | "viewer" | "editor" | "inbox", q: string) => {
    const { get } = await dashboard.signIn(role);
    const { status, text } = await get(`/go?q=${encodeURIComponent(q)}`);
    expect(status).toBe(200);
    const shown = text.split(/class="results"/)[1] ?? "";
    const items = [
      ...shown.matchAll(/<li><(?:a href|form method="post" action)="\/dashboard([^"]*)".*?<\/li>/gs),
    ];
    return items.map(([item, to]) => {
      const [, kind] = /data-result="(\w+)"/.exec(item)!;
      const label = /<bdi dir="auto">(.*?)<\/bdi>/.exec(item)![1]!;
      return [kind!, label, to!.replaceAll("&amp;", "&")];
    });
  };
  return { app, dashboard, go, id };
}

describe("/go", () => {
  test("finds flags, forms, people, submissions and pages by words", async () => {
    const { app, go, id } = await openShop();
    expect((await go("admin", "checkout")).slice(0, 2)).toEqual([
      ["flag", "checkout", "/projects/shop/flags/checkout"],
      ["flag", "checkout-old", "/projects/shop/flags/checkout-old"],
    ]);
    for (let at = 0; at < 30; at += 1)
      await setFlag(
        app,
        OPERATOR,
        { project: "shop", environment: "develop", flag: `about-${at}` },
        { description: "Before the checkout" },
      );
    expect((await go("admin", "check")).slice(0, 3).map(([, label]) => label)).toEqual([
      "checkout",
      "checkout-old",
      "about-0",
    ]);
    expect(await go("admin", "write us")).toEqual([["form", "contact", "/forms/contact"]]);
    expect(await go("admin", "inbox CONTACT")).toEqual([["page", "Inbox of contact", "/inbox/contact"]]);
    expect(await go("admin", "shop segm")).toEqual([
      ["page", "Segments", "/projects/shop/segments"],
      ["action", "New segment", "/projects/shop/segments/new"],
    ]);
    expect(await go("admin", "order")).toEqual([
      ["submission", "Where is my &lt;b&gt;order&lt;/b&gt;?", `/inbox/contact/${id}`],
      ["page", "Submissions with order", "/inbox?q=order"],
    ]);
    expect((await go("admin", "ada@example.com"))[0]).toEqual([
      "sender",
      "ada@example.com",
      "/people?q=ada%40example.com",
    ]);
    expect(await go("admin", "create segment")).toEqual(await go("admin", "new segment"));
    expect(await go("admin", "")).toContainEqual(["page", "Inbox", "/inbox"]);
  });

  test("says that nothing matches, and offers to search the documentation for it", async () => {
    const { go } = await openShop();
    for (const [q, typed] of [
      ["--", "--"],
      ["erase & forget", "erase+%26+forget"],
    ] as const)
      expect(await go("viewer", q)).toEqual([
        [
          "documentation",
          `Nothing matches: search the documentation for “${Bun.escapeHTML(q)}”`,
          `/docs?q=${typed}`,
        ],
      ]);
  });

  test("offers what the caller may see and do, and no more", async () => {
    const { go } = await openShop();
    const actions = async (role: Parameters<typeof go>[0], q: string) =>
      (await go(role, q)).filter(([kind]) => kind === "action").map(([, label]) => label);
    expect(await actions("admin", "turn search")).toEqual([
      "Turn on search in develop",
      "Turn off search in live",
    ]);
    expect(await actions("editor", "turn search")).toEqual(["Turn on search in develop"]);
    expect(await actions("viewer", "search")).toEqual([]);
    for (const [role, q] of [
      ["inbox", "search"],
      ["viewer", "users"],
    ] as const)
      expect((await go(role, q)).map(([kind]) => kind)).toEqual(["documentation"]);
    expect(await actions("viewer", "")).toEqual(["Sign out"]);
  });

  test("switches a flag by a plain form, and asks for the name of a locked environment", async () => {
    const { app, dashboard, go } = await openShop();
    const { post } = await dashboard.signIn("admin");
    const [[, , to]] = (await go("admin", "turn on search develop")) as [string[]];
    const done = await post(to!, { act: "state", enabled: "on", revision: await revisionOf("develop") });
    expect(done.text).toContain("Undo");
    const [[, , live]] = (await go("admin", "turn off search live")) as [string[]];
    const asked = await post(live!, { act: "state", enabled: "off", revision: await revisionOf("live") });
    expect(asked.status).toBe(428);

    async function revisionOf(environment: string) {
      return String((await app.store.flags.find({ project: "shop", environment, flag: "search" }))!.revision);
    }
  });

  test("shows texts of senders as text", async () => {
    const { dashboard, go, app } = await openShop();
    const { get } = await dashboard.signIn("admin");
    expect((await get("/go?q=order")).text).not.toContain("<b>order");
    expect((await get(`/go?q=${encodeURIComponent('"><script>')}`)).text).not.toContain("<script>");
    await createExperiment(
      app,
      OPERATOR,
      { project: "shop", environment: "develop", experiment: "x" },
      {
        flag: "search",
        metrics: ["event:x"],
      },
    );
    expect(await go("viewer", "experiments shop")).toEqual([
      ["page", "Experiments", "/projects/shop/releases?show=experiments"],
    ]);
  });
});
