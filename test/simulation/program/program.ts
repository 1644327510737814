import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { setClock } from "../../../src/base/clock.ts";
import { createChance } from "../chance.ts";
import { exportOf, rowsOf, shownOf, shownOfModel, tablesOf } from "./compare.ts";
import { flagOperations, ruleWith, setFlagTo } from "./flag-operations.ts";
import {
  addTargetTo,
  createFormCalled,
  formOperations,
  submissionOf,
  submissions,
} from "./form-operations.ts";
import { type Model, createModel } from "./model.ts";
import type { Operation, Way } from "./operation.ts";
import { createProjectCalled, projectOperations } from "./project-operations.ts";
import { requireRelations } from "./relations.ts";
import { SCHEDULED_MS, makeDue, scheduleOperations, setSegmentTo } from "./schedule-operations.ts";
import { type Surroundings, openWays } from "./ways.ts";

const START = Date.parse("2026-01-02T03:04:05.678Z");

/** Time passes until everything that is scheduled is due. */
const later: fc.Arbitrary<Operation> = fc.constant({
  name: "let time pass",
  call: () => undefined,
  perform: (way) => way.makeDue(),
  passes: SCHEDULED_MS + 1,
  expect(model) {
    makeDue(model);
    return "ok";
  },
});

/** What every program begins with, so that what follows finds something. */
const FIRST = [
  createProjectCalled("shop"),
  createFormCalled("contact"),
  setSegmentTo({ project: "shop", environment: "develop", segment: "staff", value: true, confirmed: true }),
  setFlagTo({
    project: "shop",
    environment: "develop",
    flag: "sale",
    patch: ruleWith("staff"),
    confirmed: true,
    absent: false,
  }),
  submissionOf({ form: "contact", name: "Cyd", text: "hello" }),
  addTargetTo({ form: "contact", path: "a" }),
];

type Real = { ways: Way[]; step: (passes: number) => void; before: (way: Way) => void };

/** An operation as fast-check runs it: the same in every way, and as the model says. */
const commandOf = (operation: Operation): fc.AsyncCommand<Model, Real> => ({
  check: (model) => operation.perform !== undefined || operation.call(model) !== undefined,
  async run(model, { ways, step, before }) {
    step(operation.passes ?? 1);
    const call = operation.call(model);
    const outcomes = [];
    for (const way of ways) {
      before(way);
      outcomes.push(operation.perform ? await operation.perform(way) : await way.do(call!));
    }
    const expected = operation.expect(model, outcomes[0]!.answer);
    for (const [index, way] of ways.entries()) {
      const { code } = outcomes[index]!;
      const wanted = operation.perform ? expected : way.codeOf(expected);
      if (code !== wanted) throw new Error(`${operation.name}: ${way.name} answered ${code}, not ${wanted}`);
    }
    const shown = await shownOf(ways[0]!.app);
    const wanted = shownOfModel(model);
    if (!Bun.deepEquals(shown, wanted, true))
      throw new Error(`after ${operation.name}: ${differing(shown, wanted)}`);
  },
  toString: () => operation.name,
});

function differing(shown: unknown, wanted: unknown): string {
  return `the product has ${JSON.stringify(shown)}, the model ${JSON.stringify(wanted)}`;
}

export type ProgramOptions = {
  seed: number;
  /** Programs, and operations of each at most. */
  runs: number;
  length: number;
  withPostgres: boolean;
  /** Where data lives until a program has ended. */
  directory: string;
  /** When no further program begins, in milliseconds since 1970. */
  until?: number;
  /** Whether a program that fails is printed as it is, in place of the shortest one. */
  endsOnFailure?: boolean;
};

/**
 * Runs random programs in every way: each has to answer and to hold the same, down to the last byte of a dump. Throws with
 * the shortest program that does not.
 */
export async function runPrograms({
  seed,
  runs,
  length,
  withPostgres,
  directory,
  until,
  endsOnFailure = false,
}: ProgramOptions) {
  const operations = [
    ...projectOperations,
    ...flagOperations,
    ...scheduleOperations,
    ...formOperations,
    ...submissions,
    later,
  ].map((each) => each.map(commandOf));
  const programs = fc.commands(operations, { maxCommands: length, size: "max" });
  let count = 0;
  const property = fc.asyncProperty(programs, async (program) => {
    const commands = [...program];
    count += commands.length;
    await runProgram([...FIRST.map(commandOf), ...commands], withPostgres, directory);
  });
  const limit = until === undefined ? {} : { interruptAfterTimeLimit: Math.max(until - Date.now(), 1) };
  await fc.assert(property, { seed, numRuns: runs, ...limit, endOnFailure: endsOnFailure });
  return count;
}

/** Runs one program, with the clock of the whole process replaced, since commands take them from there. */
async function runProgram(
  program: fc.AsyncCommand<Model, Real>[],
  withPostgres: boolean,
  directory: string,
): Promise<void> {
  const root = mkdtempSync(join(directory, "program-"));
  const directoryOf = (name: string) => {
    mkdirSync(join(root, name), { recursive: true, mode: 0o700 });
    return join(root, name);
  };
  let now = START;
  let steps = 0;
  let chance = createChance(0);
  const surroundings: Surroundings = { now: () => now, random: (length) => chance.bytes(length) };
  const model = createModel(now);
  const { ways, close } = await openWays(directoryOf, surroundings, withPostgres);
  setClock({ now: surroundings.now, random: (length) => chance.bytes(length) });
  try {
    const step = (passes: number) => {
      now += passes;
      model.now = now;
      steps += 1;
    };
    const before = () => void (chance = createChance(steps));
    await fc.asyncModelRun(() => ({ model, real: { ways, step, before } }), program);
    await requireEqualData(ways);
    await requireRelations(ways, { directoryOf, surroundings, step: () => step(1) });
  } finally {
    setClock();
    await close();
    rmSync(root, { recursive: true, force: true });
  }
}

async function requireEqualData(ways: Way[]): Promise<void> {
  const first = ways[0]!.app;
  const [document, tables, rows] = [await exportOf(first), await tablesOf(first), await rowsOf(first)];
  for (const { name, app } of ways.slice(1)) {
    const other = await exportOf(app);
    if (!Bun.deepEquals(other, document, true))
      throw new Error(`the export of ${name} differs: ${differing(other, document)}`);
    const found: Record<string, unknown> = name === "PostgreSQL" ? await rowsOf(app) : await tablesOf(app);
    const wanted: Record<string, unknown> = name === "PostgreSQL" ? rows : tables;
    const differ = Object.keys({ ...found, ...wanted }).filter(
      (table) => !Bun.deepEquals(found[table], wanted[table]),
    );
    if (differ.length > 0) throw new Error(`the data of ${name} differs in ${differ.join(", ")}`);
  }
}
