import * as fc from "fast-check";
import type { FlagPatch } from "../../../src/flags/flag.ts";
import { deleteFlag, rollbackFlag, setFlag } from "../../../src/flags/flags.ts";
import { importFlags } from "../../../src/flags/imports.ts";
import { promoteFlags } from "../../../src/flags/promotions.ts";
import { OFF, type State, dropFlag, environmentIn, isSame, putFlag, stateBefore, valuesIn } from "./model.ts";
import type { Operation } from "./operation.ts";
import { barrier, confirmed, environment, flag, inPlace, optionsOf, project, segment } from "./places.ts";

/** A patch with the options of the command that stand for it, and what it makes of a state. */
type Patch = { patch: FlagPatch; options: string[]; apply: (state: State) => State };

const VARIANTS = { on: true, off: false };
const ruleOf = (name: string) => ({ if: [{ $ref: name }, "on", "off"] });

export const ruleWith = (name: string): Patch => ({
  patch: { variants: VARIANTS, defaultVariant: "off", targeting: ruleOf(name) },
  options: [
    "--variants",
    JSON.stringify(VARIANTS),
    "--default",
    "off",
    "--targeting",
    JSON.stringify(ruleOf(name)),
  ],
  apply: (state: State) => ({ ...state, segment: name }),
});

const patch: fc.Arbitrary<Patch> = fc.oneof(
  fc.boolean().map((enabled) => ({
    patch: { enabled },
    options: [enabled ? "--on" : "--off"],
    apply: (state: State) => ({ ...state, enabled }),
  })),
  fc.constantFrom(1, "text", { a: [null] }, {}).map((payload) => ({
    patch: { payload },
    options: ["--payload", JSON.stringify(payload)],
    apply: (state: State) => {
      const { enabled, segment, description } = state;
      const after = { enabled, segment, description };
      return isSame(payload, {}) ? after : { ...after, payload };
    },
  })),
  fc.constantFrom("one", "two").map((description) => ({
    patch: { description },
    options: ["--description", description],
    apply: (state: State) => ({ ...state, description }),
  })),
  segment.map(ruleWith),
  segment.map(ruleWith),
);

const blank = (description = ""): State => ({ ...OFF, description });

type FlagSet = {
  project: string;
  environment: string;
  flag: string;
  patch: Patch;
  confirmed: boolean;
  /** Whether only if there is no such flag. */
  absent: boolean;
};

export function setFlagTo(at: FlagSet): Operation {
  const path = `${inPlace(at)}/flags/${at.flag}`;
  return {
    name: `set ${path} ${JSON.stringify(at.patch.patch)}${at.absent ? " if absent" : ""}`,
    call: () => ({
      run: (app, by) => setFlag(app, by, at, at.patch.patch, at.absent ? 0 : null),
      request: ["PATCH", path, at.patch.patch, at.absent ? { "if-match": '"0"' } : {}],
      args: [
        "flags",
        "set",
        at.flag,
        ...optionsOf(at),
        ...at.patch.options,
        ...(at.absent ? ["--if-revision", "0"] : []),
      ],
      confirmed: at.confirmed,
    }),
    expect(model) {
      const known = environmentIn(model, at.project, at.environment)?.project.flags.get(at.flag);
      // All environments share its description, which no reader gets.
      const isDetail = known !== undefined && Object.keys(at.patch.patch).join() === "description";
      const refusal = barrier(model, at, at.confirmed || isDetail);
      if (refusal) return refusal;
      const { project: found, place } = environmentIn(model, at.project, at.environment)!;
      // Its creation, which gives it a description, is a change in every environment.
      if (at.absent && known) return "conflict";
      const before = known ? { ...valuesIn(known, at.environment), description: known.description } : blank();
      const after = at.patch.apply(before);
      if (at.patch.patch.targeting && !place.segments.has(after.segment!)) return "invalid";
      putFlag(model, found, at.environment, at.flag, after);
      return "ok";
    },
  };
}

type Promoted = {
  project: string;
  from: string;
  to: string;
  segments: boolean;
  dryRun: boolean;
  confirmed: boolean;
};

const promotionOf = (at: Promoted): Operation => ({
  name: `promote ${JSON.stringify(at)}`,
  call: () => ({
    run: (app, by) => promoteFlags(app, by, at.project, { ...at, flags: null }, at.dryRun),
    request: [
      "POST",
      `/projects/${at.project}/environments/${at.to}/promote`,
      { from: at.from, segments: at.segments, dryRun: at.dryRun },
    ],
    args: [
      "flags",
      "promote",
      "--all",
      "-p",
      at.project,
      "--from",
      at.from,
      "--to",
      at.to,
      ...(at.segments ? ["--segments"] : []),
      ...(at.dryRun ? ["--dry-run"] : []),
    ],
    confirmed: at.confirmed,
  }),
  expect(model) {
    if (at.from === at.to) return "invalid";
    const from = environmentIn(model, at.project, at.from);
    if (!from) return "not_found";
    const refusal = barrier(model, { ...at, environment: at.to }, at.confirmed || at.dryRun);
    if (refusal) return refusal;
    if (at.dryRun) return "ok";
    const { project: found, place } = environmentIn(model, at.project, at.to)!;
    const inOrder = [...found.flags].toSorted(([a], [b]) => (a < b ? -1 : 1));
    const values = inOrder.map(([slug, each]) => [slug, valuesIn(each, at.from)] as const);
    const changed = values.filter(([slug, each]) => !isSame(each, valuesIn(found.flags.get(slug)!, at.to)));
    const needed = values.flatMap(([, each]) => (each.segment === null ? [] : [each.segment]));
    const after = new Map(place.segments);
    if (at.segments)
      for (const name of needed)
        if (from.place.segments.has(name)) after.set(name, from.place.segments.get(name)!);
    if (changed.some(([, each]) => each.segment !== null && !after.has(each.segment))) return "conflict";
    place.segments = after;
    for (const [slug, each] of changed)
      putFlag(model, found, at.to, slug, { ...each, description: found.flags.get(slug)!.description });
    return "ok";
  },
});

export const flagOperations: fc.Arbitrary<Operation>[] = [
  ...[1, 2, 3].map(() =>
    fc
      .record({ project, environment, flag, patch, confirmed, absent: fc.constantFrom(false, false, true) })
      .map(setFlagTo),
  ),
  fc.record({ project, flag }).map((at) => ({
    name: `delete flag ${at.project}/${at.flag}`,
    call: () => ({
      run: (app, by) => deleteFlag(app, by, at),
      request: ["DELETE", `/projects/${at.project}/flags/${at.flag}`],
      args: ["flags", "delete", at.flag, "-p", at.project],
      confirmed: true,
    }),
    expect(model) {
      const found = model.projects.get(at.project);
      if (!found?.flags.has(at.flag)) return "not_found";
      dropFlag(found, at.flag);
      return "ok";
    },
  })),
  fc.record({ project, environment, flag, confirmed }).map((at) => ({
    name: `roll back ${inPlace(at)}/${at.flag}`,
    call: () => ({
      run: (app, by) => rollbackFlag(app, by, at, { before: null }),
      request: ["POST", `${inPlace(at)}/flags/${at.flag}/rollback`, {}],
      args: ["flags", "rollback", at.flag, "--to", "before", ...optionsOf(at)],
      confirmed: at.confirmed,
    }),
    expect(model) {
      const refusal = barrier(model, at, at.confirmed);
      if (refusal) return refusal;
      const { project: found, place } = environmentIn(model, at.project, at.environment)!;
      const state = stateBefore(found, at.environment, at.flag);
      if (!state) return "not_found";
      const known = found.flags.get(at.flag);
      const isChanged =
        !known || !isSame(state, { ...valuesIn(known, at.environment), description: known.description });
      if (isChanged && state.segment !== null && !place.segments.has(state.segment)) return "conflict";
      putFlag(model, found, at.environment, at.flag, state);
      return "ok";
    },
  })),
  ...[1, 2].map(() =>
    fc
      .record({
        project,
        from: environment,
        to: environment,
        segments: fc.boolean(),
        dryRun: fc.constantFrom(false, false, true),
        confirmed,
      })
      .map(promotionOf),
  ),
  fc.record({ project, environment, flag, enabled: fc.boolean(), confirmed }).map((at) => {
    const definition = { state: "ENABLED", variants: VARIANTS, defaultVariant: at.enabled ? "on" : "off" };
    const document = { flags: { [at.flag]: definition } };
    return {
      name: `import ${at.flag} ${at.enabled ? "on" : "off"} into ${inPlace(at)}`,
      call: () => ({
        run: (app, by) => importFlags(app, by, at, structuredClone(document), false),
        request: ["POST", `${inPlace(at)}/flagd`, document],
        args: ["flags", "import", "-", ...optionsOf(at)],
        stdin: JSON.stringify(document),
        confirmed: at.confirmed,
      }),
      expect(model) {
        const refusal = barrier(model, at, at.confirmed);
        if (refusal) return refusal;
        const { project: found } = environmentIn(model, at.project, at.environment)!;
        const description = found.flags.get(at.flag)?.description ?? "";
        const after = { enabled: at.enabled, segment: null, description };
        putFlag(model, found, at.environment, at.flag, after);
        return "ok";
      },
    };
  }),
];
