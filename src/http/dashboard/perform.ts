import type { App } from "../../app.ts";
import { AppError } from "../../base/errors.ts";
import type { ProposalView } from "../../documents/changes/proposal.ts";
import { type Given, checkedInput, requireAdmitted } from "../../operations/call.ts";
import { performBy } from "../../operations/changes/perform.ts";
import type { Call, Operation, Output, Schemas } from "../../operations/operation.ts";
import { createDeployment } from "../deployment.ts";
import type { DashboardContext, DashboardOptions } from "./dashboard-env.ts";
import { textOf } from "./fields.ts";
import { askingPage } from "./parts/confirm.tsx";
import { submit } from "./parts/submit.ts";
import { projectPath } from "./paths.ts";
import { type Acts, type Done, browserOf } from "./routes.ts";

/** A call by the user of a page, checked as the admin API checks one. */
async function callOf<S extends Schemas, P extends string>(
  app: App,
  options: DashboardOptions,
  c: DashboardContext,
  operation: Operation<S, P>,
  given: Given,
): Promise<Call<S, P>> {
  const caller = c.get("caller");
  const { names = {}, query = {}, body } = given;
  const asked = { app, caller, names, query: query as Record<string, string>, body };
  await requireAdmitted(operation, { caller, names, environment: asked.query["environment"] }, () => asked);
  // Links in answers lead to where the user is, unless the address of the dashboard is known.
  const { origin } = URL.parse(c.req.header("origin") ?? "") ?? new URL(c.req.url, "http://no-host.invalid");
  const here = origin + options.basePath;
  const { publicUrl, dashboardUrl } = options;
  const links = { publicUrl: publicUrl ?? here, dashboardUrl: dashboardUrl ?? here };
  const deployment = createDeployment({ ...options, ...links });
  const input = await checkedInput(operation, given);
  return { app, deployment, caller, sender: browserOf(c), ...input, tag: () => {} } as Call<S, P>;
}

/** Goes on to the page of a change that was proposed in place of what a form stands for. */
function proposed({ project, id, needed }: ProposalView): Done {
  const text = `The change is proposed: it needs ${needed === 1 ? "an approval" : `${needed} approvals`}.`;
  return { to: `${projectPath(project)}/changes/${encodeURIComponent(id)}`, text };
}

/** Calls operations for the pages of a dashboard. */
export function createActs(app: App, options: DashboardOptions): Acts {
  return {
    perform: async <S extends Schemas, P extends string>(
      c: DashboardContext,
      operation: Operation<S, P>,
      given: Given = {},
    ) => (await operation.run(await callOf(app, options, c, operation, given))) as Output<S>,
    act:
      ({ operation, input, done, confirm, again, at }) =>
      (c, fields, names) => {
        const sent = { c, fields, names };
        const run = async () => {
          const call = await callOf(app, options, c, operation, await input(sent));
          const propose = textOf(fields, "propose");
          return propose === ""
            ? { value: await operation.run(call) }
            : performBy({ propose }, operation, call);
        };
        const all = async () => {
          const performed = await run().catch(async (refusal: unknown) => {
            const isAsked =
              refusal instanceof AppError &&
              (refusal.code === "unconfirmed" || (refusal.code === "unapproved" && operation.proposes));
            if (!confirm || !isAsked) throw refusal;
            return askingPage({ fields, confirmation: await confirm(sent), refusal });
          });
          if ("change" in performed) return proposed(performed.change);
          return "value" in performed ? done(performed.value as never, sent) : performed;
        };
        return again ? submit(all, (faults, error) => again(sent, faults, error), at) : all();
      },
  };
}
