import { expect, test } from "bun:test";
import { createToken } from "../../../src/access/tokens.ts";
import { createForm } from "../../../src/forms/forms.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { expectError, fresh, openAdmin } from "../../support/admin.ts";
import { OPERATOR } from "../../support/records/caller.ts";

const { app, ask } = await openAdmin();

test("feeds are created, seen and revoked within the projects of a token", async () => {
  const [mine, other] = [fresh(), fresh()];
  for (const slug of [mine, other]) await createProject(app, OPERATOR, { slug });
  const form = await createForm(app, OPERATOR, { slug: fresh(), project: mine });
  const elsewhere = await createForm(app, OPERATOR, { slug: fresh(), project: other });
  const tokenWith = async (scope: "forms:read" | "forms:write") =>
    (await createToken(app, OPERATOR, { name: fresh(), scopes: [scope], project: mine })).token;
  const [reader, writer] = [await tokenWith("forms:read"), await tokenWith("forms:write")];

  const path = `/forms/${form.slug}/feeds`;
  const body = { format: "json" };
  await expectError(await ask(path, { token: reader, body }), 403, "forbidden");
  await expectError(await ask(`/forms/${elsewhere.slug}/feeds`, { token: writer, body }), 404, "not_found");
  const answer = await ask(path, { token: writer, body });
  expect(answer.status).toBe(201);
  const { id, url } = (await answer.json()) as { id: string; url: string };
  expect(url).toMatch(/\/v1\/feeds\/[\w-]{43}\.json$/);
  const foreign = (await (await ask(`/forms/${elsewhere.slug}/feeds`, { body })).json()) as { id: string };

  const idsFor = async (query: string, token?: string) => {
    const listed = (await (await ask(`/feeds${query}`, token === undefined ? {} : { token })).json()) as {
      feeds: { id: string }[];
    };
    return listed.feeds.map((feed) => feed.id);
  };
  expect(await idsFor("", reader)).toEqual([id]);
  expect(await idsFor(`?form=${form.slug}`)).toEqual([id]);
  expect(await idsFor(`?project=${other}`)).toEqual([foreign.id]);
  expect(await (await ask("/feeds", { token: reader })).text()).not.toContain(
    url.split("/").at(-1)!.slice(0, 43),
  );

  await expectError(await ask(`/feeds/${id}`, { method: "DELETE", token: reader }), 403, "forbidden");
  await expectError(await ask(`/feeds/${foreign.id}`, { method: "DELETE", token: writer }), 404, "not_found");
  expect((await ask(`/feeds/${id}`, { method: "DELETE", token: writer })).status).toBe(204);
  expect(await idsFor("", reader)).toEqual([]);
});

test("a feed that cannot be is refused with its reason", async () => {
  const { slug: project } = await createProject(app, OPERATOR, { slug: fresh() });
  const { slug } = await createForm(app, OPERATOR, { slug: fresh(), project });
  for (const [more, says] of [
    [{ format: "xml" }, "csv, json, atom"],
    [{ limit: 10_001 }, "from 1 to 10000"],
    [{ limit: 0 }, "from 1 to 10000"],
    [{ limit: 1.5 }, "whole"],
    [{ fields: [] }, "at least one of fields"],
    [{ fields: Array.from({ length: 101 }, String) }, "at most 100"],
    [{ search: "   " }, "search"],
    [{ since: 0 }, "since"],
    [{ name: "x".repeat(201) }, "200"],
    [{ expiresAt: "2001-01-01T00:00:00Z" }, "future"],
    [{ token: "mine" }, "token"],
  ] as const)
    await expectError(
      await ask(`/forms/${slug}/feeds`, { body: { format: "csv", ...more } }),
      400,
      "invalid",
      says,
    );
});
