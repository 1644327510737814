import type { Command } from "commander";
import { AppError } from "../../../src/base/errors.ts";
import type { TargetView } from "../../../src/delivery/target.ts";
import { projectTargets as ofProject } from "../../../src/operations/changes/project-targets.ts";
import { targets as operations } from "../../../src/operations/targets.ts";
import type { Io } from "../../output/terminal.ts";
import { details, known, shown } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { heard } from "../../session/command-line.ts";
import { formProjectOption } from "../../session/config.ts";
import type { Session } from "../../session/session.ts";
import { whyOption } from "../../session/why.ts";
import { addAddCommand } from "./add.ts";
import { addListCommand, onOption, stateOf } from "./list.ts";
import { addRotateCommand } from "./rotate.ts";
import { TARGET } from "./target-argument.ts";
import { addDelete, addGet, named } from "../verbs.ts";
import type { Schemas } from "../../../src/operations/operation.ts";

export function addTargetCommands(targets: Command, io: Io): void {
  heard(targets)`
[formflag] webhook webhooks hook hooks integration integrations addon addons slack discord: targets add
[formflag] plugin plugins extension extensions marketplace theme themes template templates: there are no plugins: formflag targets add <form> <url> sends submissions on, and the API does the rest
[formflag] rotate rekey: formflag targets rotate <id> replaces the secret of a target; a token is replaced by another
set update edit: a target is enabled, disabled or rotated; for another URL add a target, then delete this one
[add] --slack --discord --telegram --type: the service goes before the URL: formflag targets add <form> slack:https://hooks.slack.com/services/<path>
[add] --secret --signing-secret: the secret is made here and printed once; formflag targets rotate <id> makes another
[add] --header --headers --method: a delivery is a POST of JSON: docs/forms.md describes it
[add] --target-network: it is an option of formflag serve; a command without --server reads FORMFLAG_TARGET_NETWORK
[add] --url --webhook: the URL follows the form: formflag targets add <form> <url>
[add] *: the service and its URL are one word: formflag targets add <form> slack:https://hooks.slack.com/services/<path>
`;
  targets.addHelpText(
    "after",
    `
A target is a webhook, a channel of a chat service or a mail address. Every submission that is not spam is sent to each
enabled target of its form. Notices of changes in a project are sent to the targets of the project.

Examples:
  formflag targets add contact https://example.com/hooks/contact
  formflag targets add slack:https://hooks.slack.com/services/T0/B0/KEY -p shop
  formflag targets list contact
  formflag targets test k3v9-x2mq-71bd
`,
  );
  addAddCommand(targets, io);
  addListCommand(targets, io);
  addGet(targets, io, {
    argument: TARGET,
    description: "show a target, without its secret",
    parse: named("id"),
    operation: operations.get,
    names: namesOf,
    describe: describeTarget,
  });
  addEnableCommand(targets, io, true);
  addEnableCommand(targets, io, false);
  addTestCommand(targets, io);
  addRotateCommand(targets, io);
  addDelete<DeletedTarget, Schemas, string>(targets, io, {
    argument: TARGET,
    description: "delete a target and cancel its waiting deliveries",
    options: [whyOption(), formProjectOption(), onOption()],
    parse: async (input, given) => ({
      target: await input.need(given, "id"),
      ...(input.options["on"] !== undefined && { project: await input.project() }),
    }),
    operations: ({ project }) => (project === undefined ? operations : ofProject),
    names: (place) => place,
    kind: "target",
    id: ({ target: id }) => ({ id }),
    of: ({ project }) => (project === undefined ? "" : ` of project ${project}`),
    more: (found) => {
      const { form, project, target } = found as unknown as Partial<TargetView>;
      if (form === undefined) return "";
      return form === null ? ` of project ${project} (${target})` : ` of form ${form} (${target})`;
    },
  });
}

const namesOf = (target: string) => ({ target });

/** A target of a form, or of a project, by its id. */
type DeletedTarget = { target: string; project?: string };

/** A target with its masked URL, for a person. */
function describeTarget(target: TargetView): string {
  return details([
    ["target", target.id],
    ...known([
      ["project", target.project],
      ["form", target.form],
      ["environment", target.environment],
      ["events", target.events?.join(", ")],
      ["digest", target.digest == null ? null : `${target.digest} s`],
    ]),
    ["sends to", target.target],
    ["state", stateOf(target)],
    ["created", target.createdAt],
    ["updated", target.updatedAt],
  ]);
}

/** `enable`, or `disable`. */
function addEnableCommand(targets: Command, io: Io, enabled: boolean): void {
  targets
    .command(enabled ? "enable" : "disable")
    .argument(...TARGET)
    .description(
      enabled
        ? "send new submissions and notices to a target again"
        : "send nothing more to a target, and cancel its waiting deliveries",
    )
    .addOption(whyOption())
    .action(
      action(io, named("id"), async ({ client, report }, id) => {
        const target = await client.call(operations.set, { names: { target: id }, body: { enabled } });
        await report(target, shown`${target.result} target ${id}\n` + describeTarget(target));
      }),
    );
}

function addTestCommand(targets: Command, io: Io): void {
  targets
    .command("test")
    .argument(...TARGET)
    .description("send a sample to a target and show the answer")
    .addHelpText(
      "after",
      `
The sample is sent like a submission or a notice, with the type submission.test or notice.test, even to a disabled
target. Nothing is stored. The exit code is 0 if the answer was 2xx, and 6 otherwise.

Example:
  formflag targets test k3v9-x2mq-71bd
`,
    )
    .action(action(io, named("id"), testTarget));
}

async function testTarget({ client, config, print, report }: Session, id: string): Promise<void> {
  const attempt = await client.call(operations.test, { names: { target: id } });
  const { code, error, outcome } = attempt;
  if (outcome === "delivered") {
    await report(attempt, shown`target ${id} accepted the sample: the answer was ${code ?? "empty"}\n`);
    return;
  }
  if (config.json) await print(attempt, "");
  throw new AppError(
    "unavailable",
    `target ${id} did not accept the sample: ${error ?? "no reason is known"}`,
    {
      hint: outcome === "gone" ? "a submission that is answered 410 disables the target" : undefined,
    },
  );
}
