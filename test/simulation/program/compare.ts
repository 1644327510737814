import { documentOf } from "../../../src/documents/document.ts";
import { digestOf } from "../../../src/maintenance/digest.ts";
import { type TableName, columnsOf } from "../../../src/maintenance/tables.ts";
import type { ClockedApp } from "../../support/app.ts";
import { type Model, valuesIn } from "./model.ts";

const EVERY_DELIVERY = {
  limit: 1000,
  before: null,
  formKeys: null,
  projects: null,
  submission: null,
  status: null,
};

/** What the product has, in the words of the model. */
export async function shownOf({ store }: ClockedApp) {
  const setup = await store.setup.read(null, true);
  const projects = await Promise.all(
    setup.projects.map(async ({ slug, environments }) => ({
      slug,
      environments: environments.map((each) => ({
        slug: each.slug,
        locked: each.locked,
        segments: Object.fromEntries(each.segments.map(({ name, rule }) => [name, rule])),
        flags: Object.fromEntries(
          each.flags.map(({ slug: flag, enabled, payload, rules, description }) => {
            const segment: string | null = rules === null ? null : JSON.parse(rules).targeting.if[0].$ref;
            return [flag, { enabled, payload: JSON.parse(payload ?? "null"), segment, description }];
          }),
        ),
      })),
      changed: (await store.changes.page(slug, { kind: "flag", limit: 1000 })).items
        .filter(({ kind }) => kind === "flag")
        .map((each) => `${each.environment ?? "everywhere"} ${each.name}`)
        .toReversed(),
      scheduled: (await store.scheduled.page(slug, null, { limit: 1000 })).items
        .map(({ id }) => id)
        .toSorted(),
    })),
  );
  const deliveries = (await store.deliveries.page(EVERY_DELIVERY)).items;
  const forms = await Promise.all(
    setup.forms.map(async ({ slug, key, enabled, maxSubmissions }) => {
      const { submissions: items } = await store.submissions.list(key, 1000, null);
      const counts = (await store.submissions.counts()).find((each) => each.formKey === key)!;
      return {
        slug,
        enabled,
        most: maxSubmissions,
        targets: Object.fromEntries((await store.targets.list(key)).map((each) => [each.id, each.enabled])),
        count: await store.submissions.count(key),
        inFolders: [counts.inbox, counts.spam, counts.archived, counts.unread],
        submissions: items.map(({ id, state, read }) => ({
          id,
          folder: state,
          read,
          deliveries: deliveries
            .filter(({ submission }) => submission === id)
            .map(({ target, status }) => `${target} ${status}`)
            .toSorted(),
        })),
      };
    }),
  );
  const tokens = (await store.tokens.list()).map(({ name }) => name).toSorted();
  return { projects, forms, tokens };
}

const bySlug = (a: { slug: string }, b: { slug: string }) => (a.slug < b.slug ? -1 : 1);

/** What it should have. */
export function shownOfModel(model: Model): Awaited<ReturnType<typeof shownOf>> {
  const projects = [...model.projects].map(([slug, { environments, flags, history, scheduled }]) => ({
    slug,
    environments: [...environments].map(([environment, { locked, segments }]) => ({
      slug: environment,
      locked,
      segments: Object.fromEntries(segments),
      flags: Object.fromEntries(
        [...flags].map(([flag, record]) => {
          const { enabled, payload = null, segment } = valuesIn(record, environment);
          return [flag, { enabled, payload, segment, description: record.description }];
        }),
      ),
    })),
    changed: history.map((each) => `${each.environment ?? "everywhere"} ${each.flag}`),
    scheduled: scheduled.map(({ id }) => id).toSorted(),
  }));
  const forms = [...model.forms].map(([slug, { enabled, most, targets, submissions }]) => {
    const isIn = (folder: string) => submissions.filter((each) => each.folder === folder);
    return {
      slug,
      enabled,
      most,
      targets: Object.fromEntries(targets),
      count: submissions.length,
      inFolders: [
        isIn("inbox").length,
        isIn("spam").length,
        isIn("archived").length,
        isIn("inbox").filter(({ read }) => !read).length,
      ],
      submissions: submissions
        .map(({ id, folder, read, deliveries }) => ({
          id,
          folder,
          read,
          deliveries: deliveries.map(({ target, status }) => `${target} ${status}`).toSorted(),
        }))
        .toSorted((a, b) => (a.id > b.id ? -1 : 1)),
    };
  });
  return {
    projects: projects.toSorted(bySlug),
    forms: forms.toSorted(bySlug),
    tokens: [...model.tokens].toSorted(),
  };
}

/** The document that describes the setup. */
export async function exportOf({ store }: ClockedApp) {
  return JSON.parse(JSON.stringify(await documentOf(await store.setup.read(null, true), true))) as object;
}

const REFERENCES: Record<string, TableName> = {
  project_id: "projects",
  environment_id: "environments",
  flag_id: "flags",
  form_id: "forms",
  upload_id: "code_uploads",
};

/** The rows of every table with numbers in place of the ids that each database gives its rows: some give them again. */
export async function rowsOf({ store }: ClockedApp): Promise<Record<string, string[]>> {
  const numbers = new Map<string, Map<unknown, number>>();
  const found: Record<string, string[]> = {};
  for await (const { table, rows } of store.dump()) {
    const columns = columnsOf(table);
    for (const row of rows) {
      const shown = columns.map(([name, type], index) => {
        const value = row[index]!;
        if (type !== "integer") return value instanceof Uint8Array ? value.toHex() : value;
        const of = name === "id" ? table : REFERENCES[name];
        if (of === undefined || value === null) return value;
        const known = numbers.get(of) ?? new Map<unknown, number>();
        numbers.set(of, known);
        if (!known.has(value)) known.set(value, known.size + 1);
        return known.get(value);
      });
      (found[table] ??= []).push(JSON.stringify(shown));
    }
  }
  return Object.fromEntries(Object.entries(found).map(([table, rows]) => [table, rows.toSorted()]));
}

export function tablesOf({ store }: ClockedApp) {
  return digestOf(store.dump());
}
