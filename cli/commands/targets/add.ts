import { Option } from "commander";
import { CHAT_KINDS } from "../../../src/delivery/target.ts";
import type { NewOf } from "../../../src/base/kinds/kinds.ts";
import { REQUEST } from "../../../src/delivery/requests/request-card.ts";
import type { GivenRequest } from "../../../src/delivery/requests/request.ts";
import { NOTICES } from "../../../src/delivery/notices/notice-card.ts";
import { projectTargets as ofProject } from "../../../src/operations/changes/project-targets.ts";
import { targets as operations } from "../../../src/operations/targets.ts";
import { details, shown } from "../../output/text.ts";
import { givenIn, optionsOf } from "../../session/card.ts";
import { noteWarnings } from "../../session/hints.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";
import { usage } from "../../session/usage.ts";
import { verb } from "../../session/verb.ts";
import { REQUEST_HELP, requestIn } from "./request.ts";

/** `--on changes`: targets of a project, in place of those of a form. */
export const onOption = () =>
  new Option("--on <what>", "send something other than submissions, for the project of -p").choices([
    "changes",
  ]);

/** The options of notices. A kept environment is not for proposed changes, which are those of a project. */
const noticeOptions = () =>
  optionsOf(NOTICES).map((each) => Object.assign(each, each.long === "--environment" && { mayBeKept }));
const mayBeKept = ({ on }: { on?: string }) => on === undefined;

export const addAdd = verb("add create", {
  argument: ["[form]", "slug or key of the form; leave it out for a target of the project of -p"],
  description: "send the submissions of a form, or notices of changes in a project, to a target",
  options: ["project of forms", ...optionsOf(REQUEST), ...noticeOptions(), onOption(), "field", "why"],
  help: `
A URL often contains a secret, and other users of the machine can see the arguments of a command. To avoid this, write -
and pass the URL on standard input.

The secret of a webhook is printed only once. With it, the receiver verifies that a request comes from formflag. Chat
services and mail have no secret.
${REQUEST_HELP}

Examples:
  formflag targets add contact https://example.com/hooks/contact
  formflag targets add contact - < url.txt
  formflag targets add contact https://example.com/api --header 'Authorization: @token.txt'
  formflag targets add contact https://example.com/api --method PUT --body @template.json
  formflag targets add contact mail:ops@example.com
  formflag targets add contact slack:https://hooks.slack.com/services/T0/B0/KEY
  formflag targets add contact discord:https://discord.com/api/webhooks/ID/TOKEN
  formflag targets add contact teams:https://example.webhook.office.com/webhookb2/KEY
  formflag targets add contact 'telegram:https://api.telegram.org/botTOKEN/sendMessage?chat_id=ID'
  formflag targets add contact ntfy:https://ntfy.sh/TOPIC
  formflag targets add contact 'gotify:https://gotify.example.com/message?token=TOKEN'
  formflag targets add https://example.com/hooks/flags -p shop
  formflag targets add mail:ops@example.com -p shop -e production --event 'flag.*' --digest 1h
  formflag targets add -p shop --on changes https://example.com/hooks/changes
`,
  parse: parseAdd,
  run: async (session, added) => {
    const { client, print, suggest } = session;
    const result = await callAdd(client, added);
    const { id, secret } = result;
    const secretLine: [string, string][] = secret === null ? [] : [["secret", secret]];
    await print(result, details([["target", id], ...secretLine]));
    noteWarnings(session.note, result);
    if (secret !== null) {
      suggest(
        "\nKeep the secret: it is not shown again. The receiver verifies with it that a request is genuine.",
      );
    }
    if (!("on" in added)) suggest(shown`Next: formflag targets test ${id}`);
  },
});

type Filter = NewOf<typeof NOTICES>;

type NewTarget =
  | { project: string; target: string; on: ["changes"] }
  | ({ project: string; target: string } & Filter & GivenRequest)
  | ({ form: string; target: string } & GivenRequest);

async function parseAdd(input: Input, ...given: (string | undefined)[]): Promise<NewTarget> {
  const [words, filter] = await filterIn(input, given);
  const [givenForm, givenTarget] = words;
  const isFiltered = Object.keys(filter).length > 0;
  if (input.options["on"] !== undefined) {
    if (givenTarget !== undefined)
      throw usage(
        "changes are those of a project, not of a form",
        "formflag targets add -p <project> --on changes <url>",
      );
    if (isFiltered) throw usage("--on goes without -e, --event and --digest, which are for notices");
    if (["method", "header", "body"].some((name) => input.options[name] !== undefined))
      throw usage(
        "--on goes without --method, --header and --body",
        "proposed changes are sent as a signed POST of JSON",
      );
    const url = await input.need(givenForm, "target", KINDS);
    return { project: await input.project(), target: await readTarget(input, url), on: ["changes"] };
  }
  const isTarget = /^([a-z]+:|-$)/i.test(givenForm ?? "") && givenTarget === undefined;
  const project = input.givenProject();
  if (isTarget && (project !== undefined || isFiltered))
    return {
      project: project ?? (await input.project()),
      ...(await requestIn(input, givenForm)),
      target: await readTarget(input, givenForm!),
      ...filter,
    };
  if (isTarget && givenForm !== "-")
    throw usage(
      "the form is missing",
      "formflag targets add <form> <target>, or -p <project> for notices of a project",
    );
  if (isFiltered)
    throw usage(
      "-e, --event and --digest are for notices of a project",
      "leave out the form: formflag targets add <target> -p <project>",
    );
  const form = await input.need(givenForm, "form");
  const target = await input.need(givenTarget, "target", KINDS);
  requireTarget(form, target);
  return {
    form: await input.form(form),
    ...(await requestIn(input, target)),
    target: await readTarget(input, target),
  };
}

/** The arguments, and the filter: words behind `--event` that are no target are events too. */
async function filterIn(
  input: Input,
  given: (string | undefined)[],
): Promise<[words: (string | undefined)[], Filter]> {
  const filter = await givenIn(NOTICES, input);
  const { events } = filter;
  if (!events) return [given, filter];
  const isEvent = (word?: string) => word !== undefined && /^[a-z]+\.[a-z*]+$/.test(word);
  const more = given.filter((word): word is string => isEvent(word));
  return [given.filter((word) => !isEvent(word)), { ...filter, events: [...new Set([...events, ...more])] }];
}

/** The kinds of targets, as they are written. */
const KINDS = `a URL, mail: and an address, or ${CHAT_KINDS.map((kind) => `${kind}:`).join(", ")} and a URL`;

/** A target as it was given; `-` is for standard input. */
export async function readTarget(input: Input, target: string): Promise<string> {
  return target === "-" ? input.readStdin() : target;
}

/** Throws `invalid` for a target that is a bare mail address or lacks its scheme, with what to write. */
function requireTarget(form: string, target: string): void {
  if (/^((mailto|email|smtp):?)?[^\s:/@]+@[^\s:/@]+$/.test(target))
    throw usage(
      `${target} is a mail address, not a target`,
      `formflag forms set ${form} --notify ${target.replace(/^[a-z]+:/, "")} sends mail for each submission`,
    );
  if (/^[\w-]+(\.[\w-]+)+(:\d+)?(\/|$)/.test(target))
    throw usage("the target has no scheme", "write https:// before it");
}

function callAdd(client: Session["client"], added: NewTarget) {
  if ("form" in added) {
    const { form, ...body } = added;
    return client.call(operations.add, { names: { form }, body });
  }
  const { project, ...body } = added;
  return client.call(ofProject.add, { names: { project }, body });
}
