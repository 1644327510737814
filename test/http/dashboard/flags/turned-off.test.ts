import { expect, test } from "bun:test";
import { hiddenIn, openDashboard } from "../../../support/pages/dashboard.ts";
import { OPERATOR } from "../../../support/records/caller.ts";
import { openShop } from "../../../support/records/shop.ts";

/** The flags a to d, each of which needs the one before. */
async function openChain() {
  const shop = await openShop();
  for (const [flag, needed] of [["a"], ["b", "a"], ["c", "b"], ["d", "c"]] as const)
    await shop.set(
      "live",
      { enabled: true, ...(needed !== undefined && { requires: [{ flag: needed }] }) },
      OPERATOR,
      flag,
    );
  const areOn = async () =>
    (await Promise.all(["a", "b", "c", "d"].map((flag) => shop.find("live", flag)))).map(
      (record) => record!.enabled,
    );
  return { ...shop, areOn, ann: await openDashboard(shop.app).signIn("admin", "ann") };
}

test("ticked flags are turned off once their page has said which others that turns off", async () => {
  const { ann, areOn } = await openChain();
  const ticked = { flag: ["a", "b"], environment: "live", act: "off" };
  const asked = await ann.post("/projects/shop/flags/ticked", ticked);
  expect([asked.status, asked.text.includes("This turns off 2 more: c, d.")]).toEqual([428, true]);
  expect(asked.text).toContain("Turn off 2 flags in live?");
  expect(await areOn()).toEqual([true, true, true, true]);
  const more = hiddenIn(asked, "more");
  const stale = await ann.post("/projects/shop/flags/ticked", { ...ticked, flag: ["a"], more });
  expect([stale.status, stale.text.includes("This turns off 3 more: b, c, d.")]).toEqual([428, true]);
  const done = await ann.post("/projects/shop/flags/ticked", { ...ticked, more });
  expect([done.status, await areOn()]).toEqual([200, [false, false, true, true]]);
});

test("ticked flags are turned off at once where no other needs them, and on without a question", async () => {
  const { ann, areOn } = await openChain();
  const post = async (act: string, ...flag: string[]) =>
    (await ann.post("/projects/shop/flags/ticked", { flag, environment: "live", act })).status;
  expect([await post("off", "c", "d"), await areOn()]).toEqual([200, [true, true, false, false]]);
  expect([await post("on", "c", "d"), await areOn()]).toEqual([200, [true, true, true, true]]);
});

test("a release to nobody says which others it turns off", async () => {
  const { ann, set } = await openChain();
  const panel = async () => {
    const { text } = await ann.get("/projects/shop/flags/c?environment=live");
    return /<p class="panel if-none soft">(.*?)<\/p>/s.exec(text)![1]!.replaceAll(/<[^>]*>/g, "");
  };
  expect(await panel()).toBe("It is turned off. It turns off 1 more: d.");
  await set("live", { requires: null }, OPERATOR, "d");
  expect(await panel()).toBe("It is turned off.");
});

test("the page of a flag and the list say what a flag that is on needs", async () => {
  const { ann, set } = await openChain();
  const textOf = (html: string) => html.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
  const now = async () =>
    textOf(
      /<section class="card now".*?<\/section>/s.exec(
        (await ann.get("/projects/shop/flags/b?environment=live")).text,
      )![0],
    );
  const cell = async () =>
    textOf(/<tr[^>]* data-flag="b".*?<\/tr>/s.exec((await ann.get("/projects/shop")).text)![0]);
  expect(await now()).toContain("It needs a to be on : for all others it is off.");
  expect(await cell()).toContain("everyone, needs a");
  await set("live", { enabled: false }, OPERATOR, "b");
  expect(await now()).not.toContain("It needs");
  await set("live", { enabled: true, requires: null }, OPERATOR, "b");
  expect([(await now()).includes("It needs"), (await cell()).includes("needs")]).toEqual([false, false]);
});
