import { describe, expect, test } from "bun:test";
import { type Token, tokenCursor } from "../../../src/access/token.ts";
import { addProject, apply } from "../../support/records/apply.ts";
import { tokenCalled } from "../../support/records/records.ts";
import { codeOf } from "../../support/refusals.ts";
import { type Driver, fresh, opener } from "../driver.ts";

/** What the product relies on for tokens in every driver. */
export function tokensContract(driver: Driver): void {
  describe(`tokens, kept by ${driver.name},`, async () => {
    const store = await opener(driver)();
    const hashOf = (name: string) => `hash of ${name}`;
    const insertAs = (token: Token, hash: string) => apply(store, { change: "insertToken", token, hash });
    const insert = (token: Token) => insertAs(token, hashOf(token.name));

    test("are found by the hash of their secret, which they do not show", async () => {
      const token = tokenCalled(fresh(), { expiresAt: "2026-01-02T03:04:05.679Z" });
      await insert(token);
      expect(await store.tokens.find(hashOf(token.name))).toEqual(token);
      expect(await store.tokens.find(token.name)).toBeUndefined();
      expect(await store.tokens.find("")).toBeUndefined();
    });

    test("are limited to a project or an environment, and gone with it", async () => {
      const project = await addProject(store, fresh(), "live", "test");
      const scopes = ["flags:read" as const];
      const whole = tokenCalled(fresh(), { scopes, project: project.slug });
      const one = tokenCalled(fresh(), { scopes, project: project.slug, environment: "live" });
      await insert(whole);
      await insert(one);
      expect(await store.tokens.find(hashOf(whole.name))).toEqual(whole);
      const keys = { projectKey: project.key, environmentKey: project.environments[0]!.key };
      expect(await store.tokens.find(hashOf(one.name))).toEqual({ ...one, keys });
      await project.dropEnvironment("live");
      expect(await store.tokens.find(hashOf(one.name))).toBeUndefined();
      await project.delete();
      expect(await store.tokens.find(hashOf(whole.name))).toBeUndefined();
      expect(await codeOf(insert(tokenCalled(fresh(), { scopes, project: project.slug })))).toBe("not_found");
    });

    test("that can only read flags are listed with their hashes, for a server that follows this one", async () => {
      const project = await addProject(store, fresh(), "live");
      const place = { project: project.slug, environment: "live" };
      const keys = { projectKey: project.key, environmentKey: project.environments[0]!.key };
      const app = tokenCalled(fresh(), { scopes: ["flags:evaluate"], ...place });
      const relay = tokenCalled(fresh(), { scopes: ["flags:read", "flags:sync"] });
      const others = [["admin"], ["read"], ["flags:write"], ["flags:read", "forms:read"]] as const;
      for (const scopes of others) await insert(tokenCalled(fresh(), { scopes: [...scopes] }));
      for (const each of [app, relay]) await insert(each);
      const readers = (await store.tokens.readers()).filter(({ name }) =>
        [app.name, relay.name].includes(name),
      );
      expect(readers.toSorted((a, b) => a.scopes.length - b.scopes.length)).toEqual([
        { ...app, keys, hash: hashOf(app.name) },
        { ...relay, hash: hashOf(relay.name) },
      ]);
      const scopes = new Set((await store.tokens.readers()).flatMap((each) => each.scopes));
      expect([...scopes].toSorted()).toEqual(["flags:evaluate", "flags:read", "flags:sync"]);
      await project.delete();
    });

    test("have names of their own in each project, and pages of some", async () => {
      const [shop, bank] = [await addProject(store, fresh()), await addProject(store, fresh())];
      const name = fresh();
      const token = (project?: string) =>
        insertAs(tokenCalled(name, project === undefined ? {} : { project }), `${name} ${project}`);
      for (const project of [bank.slug, undefined, shop.slug]) await token(project);
      const slugs = [shop.slug, bank.slug];
      expect((await store.tokens.named(name)).map(({ project }) => project)).toEqual([undefined, ...slugs]);
      const page = async (limit: number, after?: string) =>
        (await store.tokens.page({ limit, after }, slugs)).items.map(tokenCursor);
      expect(await page(2)).toEqual(slugs.map((slug) => `${name}/${slug}`));
      expect(await page(2, `${name}/${slugs[0]!}`)).toEqual([`${name}/${slugs[1]!}`]);
      expect(await page(2, name)).toHaveLength(2);
      expect((await store.tokens.page({ limit: 10 }, [])).items).toEqual([]);
      expect((await store.tokens.page({ limit: 10 }, ["\0"])).items).toEqual([]);
      await apply(store, { change: "deleteToken", name, limitedTo: shop.slug });
      expect((await store.tokens.named(name)).map(({ project }) => project)).toEqual([undefined, bank.slug]);
    });

    test("are listed by name, and gone once deleted", async () => {
      const names = [fresh(), fresh()] as const;
      for (const name of names.toReversed()) await insert(tokenCalled(name));
      const listed = (await store.tokens.list()).map((each) => each.name);
      expect(listed).toEqual(listed.toSorted((a, b) => (a < b ? -1 : 1)));
      const [name] = names;
      await apply(store, { change: "deleteToken", name });
      expect(await store.tokens.find(hashOf(name))).toBeUndefined();
      expect((await store.tokens.list()).map((each) => each.name)).not.toContain(name);
    });
  });
}
