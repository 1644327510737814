import type { Caller } from "../access/caller.ts";
import { change, type ChangeStore, type Plan } from "../access/door.ts";
import { requireScope } from "../access/rights.ts";
import type { ClockAndRandom } from "../base/clock.ts";
import type { NewOf } from "../base/kinds/kinds.ts";
import { recordOf } from "../base/kinds/records.ts";
import { AppError } from "../base/errors.ts";
import type { TargetChange } from "../delivery/change.ts";
import { MAX_TARGETS } from "../delivery/limits.ts";
import type { Outgoing } from "../delivery/outgoing.ts";
import { NOTICES } from "../delivery/notices/notice-card.ts";
import { type GivenRequest, requestAfter } from "../delivery/requests/request.ts";
import type { DeliveriesStore } from "../delivery/store.ts";
import { newTarget, parseTarget, viewTarget, type TargetView } from "../delivery/target.ts";
import { noSuchEnvironment } from "./environment.ts";
import type { ProjectsStore } from "./store.ts";

type TargetsApp = ClockAndRandom & { store: ProjectsStore & DeliveriesStore & ChangeStore<TargetChange> };

type Added = { id: string; secret: string | null };

/**
 * Adds a target for the notices of a project. Returns its id and, for a webhook, its secret, which is not shown again;
 * null for other kinds. Throws `invalid` for a text that is not a target and for a URL that `outgoing.check` refuses,
 * `not_found` for the project and the environment, `conflict` beyond `MAX_TARGETS`, `forbidden`.
 */
export async function addNoticeTarget(
  app: TargetsApp,
  caller: Caller,
  project: string,
  added: { target: string } & NewOf<typeof NOTICES> & GivenRequest,
  outgoing: Outgoing,
): Promise<Added> {
  requireScope(caller, "flags:write", { project });
  const target = parseTarget(added.target);
  const request = await requestAfter(target, added, null);
  const notices = recordOf(NOTICES, added);
  const { environment } = notices;
  const requirePlace = async () => {
    const environments = await app.store.environments.list(project);
    if (environment !== null && !environments.some(({ slug }) => slug === environment))
      throw noSuchEnvironment(project, environment);
  };
  await requirePlace();
  // A plan must not wait for a name service.
  await outgoing.check(target);
  return change(app, caller, async ({ at }): Promise<Plan<TargetChange, Added>> => {
    requireScope(caller, "flags:write", { project });
    await requirePlace();
    if ((await app.store.targets.ofProject(project)).length >= MAX_TARGETS)
      throw new AppError(
        "conflict",
        `project "${project}" has ${MAX_TARGETS} targets, the most there may be`,
        {
          reason: "target-limit",
        },
      );
    const record = newTarget(target, { formKey: null, project, request, ...notices }, app.random, at);
    return {
      changes: [{ change: "insertTarget", target: record }],
      result: { id: record.id, secret: record.secrets[0]?.secret ?? null },
    };
  });
}

/** The targets of a project that get its notices, oldest first. Throws `not_found`, `forbidden`. */
export async function listNoticeTargets(
  app: TargetsApp,
  caller: Caller,
  project: string,
): Promise<TargetView[]> {
  requireScope(caller, "flags:read", { project });
  return (await app.store.targets.ofProject(project)).map((record) => viewTarget(record, { project }));
}
