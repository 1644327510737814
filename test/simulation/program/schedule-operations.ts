import * as fc from "fast-check";
import { cancelScheduled, scheduleChange } from "../../../src/flags/schedule/schedule.ts";
import { deleteSegment, setSegment } from "../../../src/flags/segments.ts";
import { type Model, environmentIn, putFlag, valuesIn } from "./model.ts";
import type { Operation } from "./operation.ts";
import { barrier, confirmed, environment, flag, inPlace, optionsOf, project, segment } from "./places.ts";

/** Until when a scheduled change waits: longer than any program that does not let time pass. */
export const SCHEDULED_MS = 10_000;

type SegmentSet = {
  project: string;
  environment: string;
  segment: string;
  value: boolean;
  confirmed: boolean;
};

export const setSegmentTo = (at: SegmentSet): Operation => ({
  name: `set segment ${inPlace(at)}/${at.segment} ${at.value}`,
  call: () => ({
    run: (app, by) => setSegment(app, by, at, at.value),
    request: ["PUT", `${inPlace(at)}/segments/${at.segment}`, { rule: at.value }],
    args: ["segments", "set", at.segment, ...optionsOf(at), "--rule", String(at.value)],
    confirmed: at.confirmed,
  }),
  expect(model) {
    const refusal = barrier(model, at, at.confirmed);
    if (refusal) return refusal;
    environmentIn(model, at.project, at.environment)!.place.segments.set(at.segment, String(at.value));
    return "ok";
  },
});

/** Segments, and changes to come. */
export const scheduleOperations: fc.Arbitrary<Operation>[] = [
  fc.record({ project, environment, segment, value: fc.boolean(), confirmed }).map(setSegmentTo),
  fc.record({ project, environment, segment }).map((at) => ({
    name: `delete segment ${inPlace(at)}/${at.segment}`,
    call: () => ({
      run: (app, by) => deleteSegment(app, by, at),
      request: ["DELETE", `${inPlace(at)}/segments/${at.segment}`],
      args: ["segments", "delete", at.segment, ...optionsOf(at)],
      confirmed: true,
    }),
    expect(model) {
      const found = environmentIn(model, at.project, at.environment);
      if (!found?.place.segments.has(at.segment)) return "not_found";
      const isUsed = [...found.project.flags.values()].some(
        (each) => valuesIn(each, at.environment).segment === at.segment,
      );
      if (isUsed) return "conflict";
      found.place.segments.delete(at.segment);
      return "ok";
    },
  })),
  fc.record({ project, environment, flag, enabled: fc.boolean(), confirmed }).map((at) => ({
    name: `schedule ${inPlace(at)}/${at.flag} ${at.enabled ? "on" : "off"}`,
    call({ now }) {
      const due = new Date(now + SCHEDULED_MS).toISOString();
      return {
        run: (app, by) =>
          scheduleChange(app, by, at, { patch: { enabled: at.enabled }, at: now + SCHEDULED_MS }),
        request: [
          "POST",
          `${inPlace(at)}/flags/${at.flag}/scheduled`,
          { at: due, patch: { enabled: at.enabled } },
        ],
        args: ["flags", "set", at.flag, ...optionsOf(at), at.enabled ? "--on" : "--off", "--at", due],
        confirmed: at.confirmed,
      };
    },
    expect(model, answer) {
      const refusal = barrier(model, at, at.confirmed);
      if (refusal) return refusal;
      const { project: found } = environmentIn(model, at.project, at.environment)!;
      if (!found.flags.has(at.flag)) return "not_found";
      const { environment: where, flag: what, enabled } = at;
      const { id } = answer as { id: string };
      found.scheduled.push({
        id,
        environment: where,
        flag: what,
        enabled,
        at: model.now + SCHEDULED_MS,
        createdAt: model.now,
      });
      return "ok";
    },
  })),
  fc.record({ number: fc.nat(3) }).map(({ number }) => {
    const find = (model: Model) => {
      const found = model.projects.get("shop");
      const scheduled = found?.scheduled[number % Math.max(found.scheduled.length, 1)];
      return found && scheduled ? { found, scheduled } : undefined;
    };
    return {
      name: `unschedule ${number}`,
      call(model) {
        const planned = find(model)?.scheduled;
        if (!planned) return undefined;
        const at = { project: "shop", environment: planned.environment };
        return {
          run: (app, by) => cancelScheduled(app, by, at, planned.id),
          request: ["DELETE", `${inPlace(at)}/scheduled/${planned.id}`],
          args: ["flags", "unschedule", planned.id, "-p", "shop"],
          confirmed: true,
        };
      },
      expect(model) {
        const { found, scheduled } = find(model)!;
        found.scheduled = found.scheduled.filter((each) => each !== scheduled);
        return "ok";
      },
    };
  }),
];

/** What the schedule does once its changes are due. */
export function makeDue(model: Model): void {
  for (const project of model.projects.values()) {
    const due = project.scheduled
      .filter(({ at }) => at <= model.now)
      .toSorted((a, b) => a.at - b.at || a.createdAt - b.createdAt);
    project.scheduled = project.scheduled.filter(({ at }) => at > model.now);
    for (const { environment, flag, enabled, createdAt } of due) {
      const known = project.flags.get(flag);
      // One of that name that was created since is another flag.
      if (!known || known.createdAt > createdAt) continue;
      const { segments } = project.environments.get(environment)!;
      const after = { ...valuesIn(known, environment), enabled, description: known.description };
      // The rule may be one whose segment was never there.
      if (after.segment !== null && !segments.has(after.segment)) continue;
      putFlag(model, project, environment, flag, after);
    }
  }
}
