import { AppError } from "../../../base/errors.ts";
import { flags } from "../../../operations/flags.ts";
import { getEnvironment } from "../../../projects/environments.ts";
import { revisionIn, textOf } from "../fields.ts";
import { lastChange } from "../parts/confirm.tsx";
import { type ParametersOf, SETTING, projectPath, settingAction } from "../paths.ts";
import type { Dashboard, Sent } from "../routes.ts";

type SentTurn = Sent<ParametersOf<typeof SETTING>>;

/** The switches of the list: each turns a flag on or off in an environment and comes back to the list. */
export function turnRoutes({ app, act, post }: Dashboard) {
  post(
    `${SETTING}/turn`,
    "flags:write",
    act({
      operation: flags.set,
      input: (sent: SentTurn) => ({
        names: sent.names,
        body: { enabled: isOnIn(sent) },
        revision: revisionIn(sent.fields),
      }),
      done({ result, revision }, { c, fields, names }) {
        const { project, environment, flag } = names;
        const state = isOnIn({ fields }) ? "on" : "off";
        const to = { to: projectPath(project), query: c.req.query() };
        if (result === "unchanged") return { ...to, text: `${flag} was ${state} in ${environment} already.` };
        const on = String(state === "off");
        const confirm = textOf(fields, "confirm");
        const values = { revision: String(revision), on, ...(confirm !== "" && { confirm }) };
        const undo = { to: `${settingAction(names)}/turn`, values };
        return { ...to, text: `${flag} is ${state} in ${environment}.`, undo };
      },
      async confirm({ fields, names: { project, environment: name, flag } }) {
        const environment = await getEnvironment(app, project, name);
        const turn = `Turn ${isOnIn({ fields }) ? "on" : "off"} in ${name}`;
        return {
          title: `Confirm: ${flag} in ${name}, ${project}`,
          label: turn,
          environments: [environment],
          change: `${turn}: ${flag}`,
          last: await lastChange(app, project, { kind: "flag", name: flag, environment: name }),
          back: { to: projectPath(project), label: project },
        };
      },
    }),
  );
}

/** Throws `invalid` for a form that no page sends. */
function isOnIn({ fields }: Pick<SentTurn, "fields">): boolean {
  const text = textOf(fields, "on");
  if (text !== "true" && text !== "false") throw new AppError("invalid", "the form says neither on nor off");
  return text === "true";
}
