import type { Command } from "commander";
import { AppError } from "../../../src/base/errors.ts";
import { durationInWords } from "../../../src/base/units.ts";
import { REQUEST } from "../../../src/delivery/requests/request-card.ts";
import type { TargetView } from "../../../src/delivery/target.ts";
import { projectTargets as ofProject } from "../../../src/operations/changes/project-targets.ts";
import type { Schemas } from "../../../src/operations/operation.ts";
import { targets as operations } from "../../../src/operations/targets.ts";
import type { Io } from "../../output/terminal.ts";
import { details, known, shown, table } from "../../output/text.ts";
import { optionsOf } from "../../session/card.ts";
import { heard } from "../../session/command-line.ts";
import { listAll } from "../../session/pages.ts";
import { usage } from "../../session/usage.ts";
import { durationValue, isUnset } from "../../session/values.ts";
import { named, verb } from "../../session/verb.ts";
import { addDelete, addGet } from "../verbs.ts";
import { addAdd, onOption, readTarget } from "./add.ts";
import { requestIn, requestLines, requestText } from "./request.ts";

export function addTargetCommands(targets: Command, io: Io): void {
  heard(targets)`
[formflag] webhook webhooks hook hooks integration integrations addon addons slack discord: targets add
[formflag] plugin plugins extension extensions marketplace theme themes template templates: there are no plugins: formflag targets add <form> <url> sends submissions on, and the API does the rest
[formflag] rotate rekey: formflag targets rotate <id> replaces the secret of a target; a token is replaced by another
update edit move: targets set
new: targets add
[set] --target --webhook --to: --url <url> is where it sends
[add] --slack --discord --telegram --type: the service goes before the URL: formflag targets add <form> slack:https://hooks.slack.com/services/<path>
[add] --secret --signing-secret: the secret is made here and printed once; formflag targets rotate <id> makes another
[add] --headers -H: --header 'Name: value', repeated for each
[add] --template --payload --json-body: --body @template.json
[add] --target-network: it is an option of formflag serve; a command without --server reads FORMFLAG_TARGET_NETWORK
[add] --url --webhook: the URL follows the form: formflag targets add <form> <url>
[add] *: the service and its URL are one word: formflag targets add <form> slack:https://hooks.slack.com/services/<path>
`;
  targets.after(`
A target is a webhook, a channel of a chat service or a mail address. Every submission that is not spam is sent to each
enabled target of its form. Notices of changes in a project are sent to the targets of the project.

Examples:
  formflag targets add contact https://example.com/hooks/contact
  formflag targets add slack:https://hooks.slack.com/services/T0/B0/KEY -p shop
  formflag targets list contact
  formflag targets test k3v9-x2mq-71bd
`);
  addAdd(targets, io).argument(
    "[target]",
    "URL of a webhook, mail: and an address, or a chat service and its URL; - reads it from standard input",
  );
  addList(targets, io);
  addGet(targets, io, {
    ...TARGET,
    description: "show a target, without its secret",
    operation: operations.get,
    names: namesOf,
    describe: describeTarget,
  });
  addSet(targets, io);
  switchVerb(true)(targets, io);
  switchVerb(false)(targets, io);
  addTest(targets, io);
  addRotate(targets, io);
  addDelete<DeletedTarget, Schemas, string>(targets, io, {
    argument: TARGET.argument,
    description: "delete a target and cancel its waiting deliveries",
    options: ["why", "project of forms", onOption()],
    parse: async (input, given) => ({
      target: await input.need(given, "id"),
      ...(input.options["on"] !== undefined && { project: await input.project() }),
    }),
    operations: ({ project }) => (project === undefined ? operations : ofProject),
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

/** A target, by its id. */
const TARGET = { argument: ["[id]", "id of the target"], parse: named("id") } as const;

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
    ...requestLines(target),
    ["state", stateOf(target)],
    ["created", target.createdAt],
    ["updated", target.updatedAt],
  ]);
}

const addSet = verb("set", {
  argument: TARGET.argument,
  description: "send to another URL, or another request",
  options: [
    ["--url <target>", "another URL or mail address of the same kind; - reads it from standard input"],
    ...optionsOf(REQUEST),
    "field",
    "why",
  ],
  help: `
The target keeps its id and its secret. What waits for it is sent to the new URL; what failed, once you retry it.

--header replaces all headers: a name alone keeps its value, and none removes them. --body none sends the event again.

Examples:
  formflag targets set k3v9-x2mq-71bd --url https://example.com/hooks/new
  formflag targets set k3v9-x2mq-71bd --url slack:https://hooks.slack.com/services/T0/B0/NEW
  formflag targets set k3v9-x2mq-71bd --url - < url.txt
  formflag targets set k3v9-x2mq-71bd --header 'Authorization: @token.txt' --header X-Source
  formflag targets set k3v9-x2mq-71bd --body @template.json --method PUT
`,
  parse: async (input, given) => {
    const id = await input.need(given, "id");
    const { url } = input.options as { url?: string };
    const body = {
      ...(await requestIn(input, url, true)),
      ...(url !== undefined && { target: await readTarget(input, url) }),
    };
    if (Object.keys(body).length === 0)
      throw usage("nothing to change", `formflag targets set ${id} --url <url>`);
    return { id, body };
  },
  run: async ({ client, report }, { id, body }) => {
    const target = await client.call(operations.set, { names: { target: id }, body });
    await report(target, shown`${target.result} target ${id}\n` + describeTarget(target));
  },
});

/** `enable`, or `disable`. */
function switchVerb(enabled: boolean) {
  return verb(enabled ? "enable" : "disable", {
    ...TARGET,
    description: enabled
      ? "send new submissions and notices to a target again"
      : "send nothing more to a target, and cancel its waiting deliveries",
    options: ["why"],
    run: async ({ client, report }, id) => {
      const target = await client.call(operations.set, { names: { target: id }, body: { enabled } });
      await report(target, shown`${target.result} target ${id}\n` + describeTarget(target));
    },
  });
}

const addTest = verb("test", {
  ...TARGET,
  description: "send a sample to a target and show the answer",
  help: `
The sample is sent like a submission or a notice, with the type submission.test or notice.test, even to a disabled
target, and the request is printed without its secrets. Nothing is stored. The exit code is 0 if the answer was 2xx, and 6 otherwise.

Example:
  formflag targets test k3v9-x2mq-71bd
`,
  run: async ({ client, config, print, report }, id) => {
    const attempt = await client.call(operations.test, { names: { target: id } });
    const { code, error, outcome, request } = attempt;
    const sent = request === null ? "" : requestText(request);
    if (outcome === "delivered") {
      await report(
        attempt,
        sent + shown`target ${id} accepted the sample: the answer was ${code ?? "empty"}\n`,
      );
      return;
    }
    if (config.json || request !== null) await print(attempt, sent);
    throw new AppError(
      "unavailable",
      `target ${id} did not accept the sample: ${error ?? "no reason is known"}`,
      {
        hint: outcome === "gone" ? "a submission that is answered 410 disables the target" : undefined,
      },
    );
  },
});

const addRotate = verb("rotate", {
  argument: TARGET.argument,
  description: "give a webhook a new secret and print it, which is shown only once",
  options: [
    ["--overlap <time>", "how long the old secret is used too, 30d at most; none ends it at once", "24h"],
    "field",
    "why",
  ],
  help: `
During the overlap, requests are signed with both secrets, so the receiver can change to the new one at any time. If a
secret has leaked, use --overlap none, which ends every older secret at once.

Examples:
  formflag targets rotate k3v9-x2mq-71bd
  formflag targets rotate k3v9-x2mq-71bd --overlap 7d
  formflag targets rotate k3v9-x2mq-71bd --overlap none
`,
  parse: async (input, given) => {
    const id = await input.need(given, "id");
    const { overlap } = input.options as { overlap: string };
    return { id, overlap: isUnset(overlap) ? 0 : durationValue(overlap, "--overlap") };
  },
  run: async ({ client, print, suggest }, { id, overlap }) => {
    const rotated = await client.call(operations.rotate, { names: { target: id }, body: { overlap } });
    await print(
      rotated,
      details([
        ["target", id],
        ["secret", rotated.secret],
      ]),
    );
    const old =
      overlap === 0 ? "The old secret has ended." : "The old secret signs too until the overlap ends.";
    suggest(`\nKeep the secret: it is not shown again. Give it to the receiver. ${old}`);
    suggest(shown`Next: formflag targets test ${id}`);
  },
});

const addList = verb("list ls", {
  argument: ["[form]", "slug or key of the form"],
  description: "list the targets of a form or a project, oldest first",
  options: ["project of forms", onOption(), "field"],
  help: `
Only the host of a URL is shown, because the rest often contains a secret.

Examples:
  formflag targets list contact
  formflag targets list contact --field id
  formflag targets list -p shop
  formflag targets list -p shop --on changes
`,
  parse: async (input, form): Promise<Listed> => {
    if (input.options["on"] !== undefined) return { project: await input.project(), on: "changes" };
    const project = input.givenProject();
    return form === undefined && project !== undefined
      ? { project, on: "notices" }
      : { form: await input.need(form, "form") };
  },
  run: async ({ client, print, suggest }, place) => {
    if ("project" in place) {
      const { project, on } = place;
      const listed = await listAll(client, ofProject.list, { names: { project } });
      if (on === "changes") {
        const all = listed.filter((each) => "on" in each);
        const rows = all.map((each) => [each.id, each.target, each.createdAt]);
        return print(all, table(["TARGET", "SENDS CHANGES TO", "CREATED"], rows));
      }
      const all = listed.filter((each): each is TargetView => !("on" in each));
      const rows = all.map((each) => [each.id, each.target, noticesOf(each), stateOf(each), each.createdAt]);
      await print(all, table(["TARGET", "SENDS TO", "NOTICES", "STATE", "CREATED"], rows));
      if (all.length === 0) suggest(shown`No targets yet. Next: formflag targets add <target> -p ${project}`);
      return;
    }
    const all = await listAll(client, operations.list, { names: place });
    const rows = all.map((each) => [each.id, each.target, stateOf(each), each.createdAt]);
    await print(all, table(["TARGET", "SENDS TO", "STATE", "CREATED"], rows));
    if (all.length === 0) suggest(shown`No targets yet. Next: formflag targets add ${place.form} <target>`);
  },
});

type Listed = { project: string; on: "changes" | "notices" } | { form: string };

/** `flag.*, segment.changed in production, every hour`. */
function noticesOf({ environment, events, digest }: TargetView): string {
  const place = environment === null ? "" : ` in ${environment}`;
  return `${events?.join(", ") ?? "all"}${place}${digest === null ? "" : `, every ${durationInWords(digest).replace(/^1 /, "")}`}`;
}

function stateOf({ enabled }: TargetView): string {
  return enabled ? "enabled" : "disabled";
}
