import { describe, expect, test } from "bun:test";
import { documentSchema } from "../../src/documents/document-schema.ts";
import { planOf } from "../../src/documents/plan-document.ts";
import type { Setup } from "../../src/documents/setup.ts";
import { openTestApp } from "../support/app.ts";
import { shop, told } from "../support/records/documents.ts";

const EMPTY: Setup = { projects: [], forms: [] };

describe("a plan", () => {
  const app = openTestApp();
  const plan = (document: object, setup = EMPTY) =>
    planOf(app, setup, {
      document: documentSchema.parse(document),
      home: "default",
      prune: false,
      seesForms: () => true,
      author: { name: "ann" },
    });

  test("makes a project with the usual environments where it names none", async () => {
    expect(told((await plan({ projects: { shop: {} } })).differences)).toEqual([
      "+ projects.shop",
      "+ projects.shop.environments.develop",
      "+ projects.shop.environments.staging",
      "+ projects.shop.environments.production",
    ]);
  });

  test("makes a flag in the environments named, with its description once", async () => {
    const flag = { description: "A sale", environments: { develop: { enabled: true }, production: {} } };
    const { changes, differences } = await plan(shop({ sale: flag }));
    const sale = { change: "putFlag", project: "shop", flag: "sale" };
    expect(changes.slice(3)).toMatchObject([
      { ...sale, environment: "develop", record: { enabled: true, description: "A sale" } },
    ]);
    expect(differences.at(-1)).toMatchObject({
      kind: "flag",
      before: null,
      after: { description: "A sale" },
    });
  });

  test("needs an environment for a flag", async () => {
    const refused = await plan(shop({ sale: {} }, {})).catch((error: unknown) => String(error));
    expect(refused).toContain("projects.shop.flags.sale: the project has no environment");
  });
});
