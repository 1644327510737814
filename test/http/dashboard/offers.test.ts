import { expect, test } from "bun:test";
import type { Role } from "../../../src/access/role.ts";
import { setEnvironment } from "../../../src/projects/environments.ts";
import { openTestApp } from "../../support/app.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { fullPages } from "../../support/pages/dashboard-pages.ts";
import { openDashboard } from "../../support/pages/dashboard.ts";
import { furnish } from "../../support/pages/furnished.ts";

type Fields = Record<string, string[]>;
type Offer = { page: string; to: string; fields: Fields };

const decoded = (text: string) =>
  text.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&lt;", "<").replaceAll("&amp;", "&");

const attribute = (tag: string, name: string) => {
  const value = new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1];
  return value === undefined ? undefined : decoded(value);
};

/** Every address that a page links to, without its fragment. */
function linksIn(text: string): string[] {
  return [...text.matchAll(/<a [^>]*href="\/dashboard([^"#]*)/g)].map(([, to]) => decoded(to!));
}

/** Every button of a form that is sent by POST, with all that may be ticked, once for each choice of the form. */
function offersIn(page: string, text: string): Offer[] {
  return [...text.matchAll(/<form( [^>]*)>(.*?)<\/form>/gs)].flatMap(([, form, content]) => {
    if (!/method="post"/i.test(form!)) return [];
    const fields: Fields = {};
    for (const [tag] of content!.matchAll(/<(?:input|textarea) [^>]*>/g)) {
      const name = attribute(tag, "name");
      if (name === undefined || tag.includes('type="file"')) continue;
      fields[name] = [
        ...(fields[name] ?? []),
        attribute(tag, "value") ?? (tag.includes("checkbox") ? "on" : ""),
      ];
    }
    const choices: Fields[] = [{}];
    for (const [, tag, options] of content!.matchAll(/<select( [^>]*)>(.*?)<\/select>/gs))
      for (const [option] of options!.matchAll(/<option[^>]*>/g))
        choices.push({ [attribute(tag!, "name")!]: [attribute(option, "value") ?? ""] });
    return [...content!.matchAll(/<button( [^>]*)?>/g)].flatMap(([, button = ""]) => {
      const to = attribute(button, "formaction") ?? attribute(form!, "action")!;
      const name = attribute(button, "name");
      const pressed = name === undefined ? {} : { [name]: [attribute(button, "value") ?? ""] };
      return choices.map((chosen) => ({
        page,
        to: to.replace(/^\/dashboard/, ""),
        fields: { ...fields, ...chosen, ...pressed },
      }));
    });
  });
}

/** The same button of the same form, whatever its texts are. */
const keyOf = ({ to, fields: { act, environment, which, role } }: Offer) =>
  JSON.stringify([to, act, environment, which, role]);

/** Forms that end the session of the browser. */
const LEAVES = /^\/(?:sign-out|me\/|link\/)/;

test.each(["viewer", "inbox", "editor", "releaser"] satisfies Role[])(
  "What a page offers the role %s, as a link or a button, is never refused to it",
  async (role) => {
    const app = openTestApp();
    const pages = fullPages(await furnish(app));
    const { get, post } = await openDashboard(app).signIn(role);
    const [links, offers] = [new Map<string, string>(), new Map<string, Offer>()];
    const collect = (page: string, text: string) => {
      for (const offer of offersIn(page, text))
        if (!LEAVES.test(offer.to) && !offers.has(keyOf(offer))) offers.set(keyOf(offer), offer);
    };
    for (const page of pages) {
      const { status, text } = await get(page);
      if (status === 403) continue;
      for (const link of linksIn(text)) links.set(link.replace(/(?<=\/flags\/)flag-\d+/, "flag-1"), page);
      collect(page, text);
    }
    const refused: string[] = [];
    for (const [link, page] of links)
      if ((await get(link)).status === 403) refused.push(`${page}: link to ${link}`);
    // What the pages offer that follow, such as a review, is added behind.
    for (const offer of offers.values()) {
      const { status, text } = await post(offer.to, offer.fields);
      if (status === 403) refused.push(`${offer.page}: ${keyOf(offer)}`);
      else if (offers.size < 300) collect(offer.to, text);
    }
    expect(refused).toEqual([]);
  },
  60_000,
);

test("The review of a promotion into a locked environment offers an editor no button, and says what it takes", async () => {
  const app = openTestApp();
  await furnish(app);
  await setEnvironment(app, OPERATOR, "shop", "production", { locked: true });
  const { signIn } = openDashboard(app);
  const order = { from: "develop", to: "production", which: "all" };
  const { text } = await (await signIn("editor")).post("/projects/shop/compare/review", order);
  expect(text).toContain("takes the role releaser or admin");
  expect(offersIn("", text).filter(({ to }) => to.endsWith("/compare/promote"))).toEqual([]);
  const { text: offered } = await (await signIn("releaser")).post("/projects/shop/compare/review", order);
  expect(offersIn("", offered).some(({ to }) => to.endsWith("/compare/promote"))).toBe(true);
});

test("A file is imported and a segment created where an editor may change something", async () => {
  const app = openTestApp();
  await furnish(app);
  const { get, post } = await openDashboard(app).signIn("editor");
  for (const page of ["/projects/shop/import", "/projects/shop/segments/new"]) {
    const { text } = await get(page);
    expect([text.includes('<option value="develop"'), text.includes('<option value="production"')]).toEqual([
      true,
      false,
    ]);
  }
  const flagd = { flags: { extra: { state: "ENABLED", variants: { a: 1 }, defaultVariant: "a" } } };
  const review = async (environment: string) =>
    (await post("/projects/shop/import/flagd", { environment, file: JSON.stringify(flagd) })).text;
  expect(await review("develop")).toContain("Import into develop</button>");
  expect(await review("production")).not.toContain("Import into production</button>");
});
