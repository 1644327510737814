import { expect, test } from "bun:test";
import { openApp } from "../../cli/data/open.ts";
import { createForm, deleteForm, setForm } from "../../src/forms/forms.ts";
import { addTarget, deleteTarget, rotateSecret, setTarget } from "../../src/forms/targets.ts";
import { deleteProject } from "../../src/forms/keeping/project-deletion.ts";
import { createProject } from "../../src/projects/projects.ts";
import { OPERATOR } from "../support/records/caller.ts";
import { tempDirectory } from "../support/temp.ts";

const anything = { check: async () => {} } as unknown as Parameters<typeof addTarget>[4];

test("the history of a form has who changed which setting, and nothing that is secret or of a sender", async () => {
  const app = await openApp({ data: tempDirectory(), writing: "inline" });
  const caller = { ...OPERATOR, why: "cleaning up" };
  await createForm(app, caller, { slug: "contact", uploads: true });
  await setForm(app, caller, "contact", { blockedSenders: ["203.0.113.7"], maxFiles: 2 });
  await setForm(app, caller, "contact", { maxFiles: 2 });
  const url = "https://hooks.example.com/services/T0/B0/secret-part";
  const { id, secret } = await addTarget(app, caller, "contact", url, anything);
  await setTarget(app, caller, id, { enabled: false }, async () => anything);
  await setTarget(app, caller, id, { target: `${url}-2` }, async () => anything);
  const rotated = await rotateSecret(app, caller, id);
  await deleteTarget(app, caller, id);
  await deleteForm(app, caller, "contact");
  const { items } = await app.store.changes.everywhere({ limit: 100, kind: "form", name: "contact" }, null);
  const target = "https://hooks.example.com/…";
  expect(items.map(({ before, after }) => [before, after])).toEqual([
    [{ name: "contact", uploads: true, blockedSenders: "1 address", maxFiles: 2 }, null],
    [{ [`target ${id}`]: `${target}, disabled` }, {}],
    [
      { [`target ${id}`]: `${target}, disabled` },
      { [`target ${id}`]: `${target}, disabled`, [`secret of ${id}`]: "renewed" },
    ],
    [
      { [`target ${id}`]: `${target}, disabled` },
      { [`target ${id}`]: `${target}, disabled`, [`url of ${id}`]: "changed" },
    ],
    [{ [`target ${id}`]: target }, { [`target ${id}`]: `${target}, disabled` }],
    [{}, { [`target ${id}`]: target }],
    [
      { blockedSenders: "0 addresses", maxFiles: null },
      { blockedSenders: "1 address, 1 new", maxFiles: 2 },
    ],
    [null, { name: "contact", uploads: true }],
  ]);
  expect(new Set(items.map(({ who, why, project }) => JSON.stringify([who, why, project])))).toEqual(
    new Set([JSON.stringify([caller.name, "cleaning up", "default"])]),
  );
  const text = JSON.stringify(items);
  for (const hidden of [secret!, rotated.secret, "secret-part", "203.0.113.7"])
    expect(text).not.toContain(hidden);
  await app.store.close();
});

test("the history of a form has times and rates as they are typed", async () => {
  const app = await openApp({ data: tempDirectory(), writing: "inline" });
  await createForm(app, OPERATOR, { slug: "contact", retention: 90 * 86_400 });
  await setForm(app, OPERATOR, "contact", { retention: null, rateLimit: { count: 20, seconds: 3600 } });
  const { items } = await app.store.changes.everywhere({ limit: 100, kind: "form", name: "contact" }, null);
  expect(items.map(({ before, after }) => [before, after])).toEqual([
    [
      { retention: "90d", rateLimit: null },
      { retention: null, rateLimit: "20/h" },
    ],
    [null, { name: "contact", retention: "90d" }],
  ]);
  await app.store.close();
});

test("the history of everything has projects that are gone", async () => {
  const app = await openApp({ data: tempDirectory(), writing: "inline" });
  await createProject(app, OPERATOR, { slug: "shop", name: "Shop", environments: ["live"] });
  await deleteProject(app, OPERATOR, "shop");
  const { items } = await app.store.changes.everywhere({ limit: 100 }, null);
  expect(items.map(({ kind, name, before, after }) => [kind, name, before, after])).toEqual([
    ["project", "shop", { name: "Shop" }, null],
    ["project", "shop", null, { name: "Shop" }],
  ]);
  await app.store.close();
});
