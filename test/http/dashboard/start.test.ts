import { describe, expect, test } from "bun:test";
import { setMember } from "../../../src/access/members/members.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { openTestApp } from "../../support/app.ts";
import { openDashboard } from "../../support/pages/dashboard.ts";
import { OPERATOR } from "../../support/records/caller.ts";

/** The steps of a page: the text of each number, its heading, and whether it is open. */
function stepsIn(text: string): string[] {
  return [...text.matchAll(/<details class="step"[^>]*?( open="")?>(.*?)<\/details>/gs)].map(
    ([, open, content]) => {
      const [, heading] = /<h2>(.*?)<\/h2>/.exec(content!)!;
      return `${heading}${/class="n good"/.test(content!) ? ", done" : ""}${open ? ", open" : ""}`;
    },
  );
}

describe("/start", () => {
  test("leads from a form over a message and a flag to a sign-in without a link", async () => {
    const app = openTestApp();
    const admin = await openDashboard(app).signIn("admin");
    const steps = async () => stepsIn((await admin.get("/start")).text);
    const [message, flag, back] = [
      "Receive a message",
      "Switch something without a deploy",
      "Come back without a link",
    ];
    expect((await steps()).slice(0, 2)).toEqual([`${message}, open`, flag]);

    const form = await admin.post("/start/form", { name: "Write to us!" });
    expect([form.status, form.path]).toEqual([200, "/forms/write-to-us"]);
    expect((await steps())[0]).toBe(`${message}, open`);
    expect((await admin.get("/start")).text).toContain("Send a test message");
    await admin.post("/forms/write-to-us/test", {});
    expect((await steps()).slice(0, 2)).toEqual([`${message}, done`, `${flag}, open`]);

    const made = await admin.post("/start/flag", { flag: "new-checkout" });
    expect([made.status, made.path]).toEqual([200, "/projects/default/flags/new-checkout"]);
    expect((await steps()).slice(0, 2)).toEqual([`${message}, done`, `${flag}, done`]);
    expect((await steps()).at(-1)).toStartWith(back);
  });

  test("shows the fault of a name at its step, with what was typed", async () => {
    const admin = await openDashboard(openTestApp()).signIn("admin");
    const refused = await admin.post("/start/flag", { flag: "a flag" });
    expect(refused.status).toBe(400);
    expect(stepsIn(refused.text)[1]).toBe("Switch something without a deploy, open");
    expect(refused.text).toContain('value="a flag"');
    await admin.post("/start/form", { name: "Contact" });
    const taken = await admin.post("/start/form", { name: "contact" });
    expect(taken.status).toBe(409);
  });

  test("names the first project only where it is there, or is made with the first form", async () => {
    const app = openTestApp();
    const admin = await openDashboard(app).signIn("admin");
    expect((await admin.get("/start")).text).toContain("The first is called <b>default</b>");
    await createProject(app, OPERATOR, { slug: "shop", environments: ["live"] });
    const { text } = await admin.get("/start");
    expect(text).not.toContain("<b>default</b>");
    expect(text).toContain("flags set new-checkout -p shop");
  });

  test("names a form without Latin letters contact", async () => {
    const admin = await openDashboard(openTestApp()).signIn("admin");
    expect((await admin.post("/start/form", { name: "お問い合わせ" })).path).toBe("/forms/contact");
  });

  test("offers no more than a role may do", async () => {
    const dashboard = openDashboard(openTestApp());
    const of = async (role: "viewer" | "editor") =>
      stepsIn((await (await dashboard.signIn(role)).get("/start")).text).map((step) => step.split(",")[0]);
    expect(await of("viewer")).toEqual(["Come back without a link"]);
    expect((await (await dashboard.signIn("viewer")).get("/start")).text).toContain(
      ">One step, a minute or two. ",
    );
    expect(await of("editor")).toEqual(["Receive a message", "Come back without a link"]);
    const app = openTestApp();
    for (const slug of ["other", "shop"]) await createProject(app, OPERATOR, { slug });
    const shop = openDashboard(app);
    const member = await shop.signIn("none", "mara");
    await setMember(app, OPERATOR, "shop", "mara", { role: "editor" });
    expect(stepsIn((await member.get("/start")).text)).toHaveLength(3);
    expect((await member.post("/start/form", { name: "Contact" })).path).toBe("/forms/shop:contact");
    expect((await member.post("/start/flag", { flag: "a" })).path).toBe("/projects/shop/flags/a");
  });
});
