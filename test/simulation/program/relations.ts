import { join } from "node:path";
import { operatorCaller } from "../../../src/access/caller.ts";
import { AppError } from "../../../src/base/errors.ts";
import { applyDocument } from "../../../src/documents/apply.ts";
import { rollbackFlag } from "../../../src/flags/flags.ts";
import { compareEnvironments, promoteFlags } from "../../../src/flags/promotions.ts";
import { listForms } from "../../../src/forms/forms.ts";
import { SUBMISSION_STATES } from "../../../src/forms/submission-state.ts";
import { exportSubmissions } from "../../../src/forms/transfer/export.ts";
import { importSubmissions } from "../../../src/forms/transfer/import.ts";
import { moveData } from "../../../src/maintenance/move.ts";
import type { ClockedApp } from "../../support/app.ts";
import { formflag } from "../../support/commands.ts";
import { exportOf, tablesOf } from "./compare.ts";
import type { Way } from "./operation.ts";
import { type Surroundings, openPostgresApp, openSqliteApp } from "./ways.ts";

type Bench = { directoryOf: (name: string) => string; surroundings: Surroundings; step: () => void };

const OPERATOR = operatorCaller(
  () => "relations",
  () => true,
);

/** What holds of any data. Throws if it does not. */
export async function requireRelations(ways: Way[], bench: Bench): Promise<void> {
  for (const { name, app } of ways) {
    if (name === "HTTP") continue;
    await within(`${name}: an import of an export is nothing new`, () => importExports(app));
    await within(`${name}: an export applied changes nothing`, () => applyExport(app));
  }
  await within("a backup that is restored is equal", () => restoreBackup(ways, bench));
  await within("what moves there and back is equal", () => moveThereAndBack(ways, bench));
  for (const { name, app } of ways) {
    if (name === "HTTP" || name === "commands") continue;
    await within(`${name}: what is promoted does not differ`, () => promoteAll(app, bench.step));
    await within(`${name}: a rollback of a rollback is what was`, () => rollBackTwice(app, bench.step));
  }
}

async function within(relation: string, check: () => Promise<void>): Promise<void> {
  try {
    await check();
  } catch (cause) {
    throw new Error(`${relation}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

function requireEqual(found: unknown, wanted: unknown): void {
  if (!Bun.deepEquals(found, wanted, true))
    throw new Error(`${JSON.stringify(found)} is not ${JSON.stringify(wanted)}`);
}

async function applyExport(app: ClockedApp): Promise<void> {
  const before = await tablesOf(app);
  const document = (await exportOf(app)) as Parameters<typeof applyDocument>[2];
  for (const prune of [false, true])
    requireEqual((await applyDocument(app, OPERATOR, document, { prune, confirmed: true })).changes, []);
  requireEqual(await tablesOf(app), before);
}

async function importExports(app: ClockedApp): Promise<void> {
  const before = await tablesOf(app);
  for (const form of await listForms(app, OPERATOR)) {
    const lines: string[] = [];
    const all = exportSubmissions(app, form, "jsonl", { states: SUBMISSION_STATES });
    for await (const chunk of all) lines.push(String(chunk));
    const result = await importSubmissions(app, OPERATOR, form.slug, lines.join(""));
    requireEqual(result.imported, 0);
  }
  requireEqual(await tablesOf(app), before);
}

async function restoreBackup(ways: Way[], { directoryOf, surroundings }: Bench): Promise<void> {
  const way = ways.find(({ name }) => name === "commands")!;
  const archive = join(directoryOf("backup"), "backup.tar");
  const restored = join(directoryOf("backup"), "restored");
  for (const args of [
    ["backup", "create", "-o", archive, "--data", way.app.directory],
    ["backup", "restore", archive, "--data", restored],
  ]) {
    const { code, stderr } = await formflag(args);
    if (code !== 0) throw new Error(stderr);
  }
  const app = openSqliteApp(restored, surroundings);
  try {
    requireEqual(await tablesOf(app), await tablesOf(way.app));
  } finally {
    await app.store.close();
  }
}

async function moveThereAndBack(ways: Way[], { directoryOf, surroundings }: Bench): Promise<void> {
  const { app } = ways[0]!;
  const hasPostgres = ways.some(({ name }) => name === "PostgreSQL");
  const there = hasPostgres
    ? await openPostgresApp(directoryOf("there"), surroundings)
    : openSqliteApp(directoryOf("there"), surroundings);
  const back = openSqliteApp(directoryOf("back"), surroundings);
  try {
    const before = await tablesOf(app);
    // A first run while the source is in use, and the final one.
    await moveData(app, there, { isFinal: false }, () => {});
    await moveData(app, there, { isFinal: true }, () => {});
    await moveData(there, back, { isFinal: true }, () => {});
    requireEqual(await tablesOf(back), before);
    requireEqual(await back.store.submissions.wrongCounts(), []);
    requireEqual(await back.store.check(), []);
  } finally {
    await Promise.all([there.store.close(), back.store.close()]);
  }
}

async function promoteAll(app: ClockedApp, step: () => void): Promise<void> {
  for (const { slug, environments } of (await app.store.setup.read(null, false)).projects) {
    const [from, to] = environments.map((each) => each.slug);
    if (from === undefined || to === undefined) continue;
    step();
    const isDone = await promoteFlags(
      app,
      OPERATOR,
      slug,
      { from, to, flags: null, segments: true },
      false,
    ).then(
      () => true,
      (error: unknown) => {
        if (error instanceof AppError && error.reason === "segment-missing") return false;
        throw error;
      },
    );
    if (isDone) requireEqual((await compareEnvironments(app, slug, from, to)).flags, []);
  }
}

async function rollBackTwice(app: ClockedApp, step: () => void): Promise<void> {
  for (const { slug: project, environments } of (await app.store.setup.read(null, false)).projects)
    for (const { slug: environment, flags } of environments)
      for (const { slug: flag, ...before } of flags) {
        const place = { project, environment, flag };
        try {
          step();
          await rollbackFlag(app, OPERATOR, place, { before: null });
          step();
          await rollbackFlag(app, OPERATOR, place, { before: null });
        } catch (error) {
          if (error instanceof AppError && ["not_found", "conflict"].includes(error.code)) continue;
          throw error;
        }
        const after = await app.store.flags.find(place);
        // When and by which change it came to be is not what it is.
        const { updatedAt, revision, imported } = before;
        requireEqual({ ...after!, updatedAt, revision, imported }, { slug: flag, ...before });
      }
}
