import type { Command } from "commander";
import { SUBMISSION_ID } from "../../src/base/ids.ts";
import { DEFAULT_PAGE, MAX_PAGE } from "../../src/base/pages.ts";
import { DELIVERY_STATUSES } from "../../src/delivery/delivery-status.ts";
import type { Delivery, DeliveryAttempt, DeliveryDetails } from "../../src/delivery/delivery.ts";
import { deliveries as operations } from "../../src/operations/deliveries.ts";
import type { Io } from "../output/terminal.ts";
import { counted, details, shorten, shown, table } from "../output/text.ts";
import { formFilter } from "./form-filter.ts";
import { listSome } from "../session/pages.ts";
import { usage } from "../session/usage.ts";
import { countValue } from "../session/values.ts";
import { named, verb } from "../session/verb.ts";
import { addGet } from "./verbs.ts";
import { heard } from "../session/command-line.ts";

export function addDeliveryCommands(deliveries: Command, io: Io): void {
  heard(deliveries)`
[formflag] queue queues job jobs worker workers retry resend redeliver replay dead-letter dlq: formflag deliveries list shows what is sent, formflag deliveries retry <id> sends it again
cancel stop abort: a delivery ends by itself: formflag targets disable <id> stops those of a target
resend: deliveries retry
[list] --failed --queued --delivered: the status is a value: --status failed
[list] --pending --waiting --sent --retrying: the status is a value: --status queued
[list] -n --last --first --top --max --count: --limit <n> says how many; formflag stats counts
[retry] --all: --failed retries all failed deliveries
`;
  deliveries.after(`
A submission is sent to the targets of its form and to the addresses that the form notifies. A notice is sent to the
targets of its project. A delivery is queued, delivered, failed after its last attempt, or cancelled because its target
was disabled or deleted.

Examples:
  formflag deliveries list --form contact
  formflag deliveries list --project shop
  formflag deliveries list --status failed
  formflag deliveries retry --failed --form contact
`);
  addListCommand(deliveries, io);
  addGet(deliveries, io, {
    argument: ["[delivery]", "id of the delivery"],
    description: "show a delivery with its attempts and their errors",
    parse: named("delivery"),
    operation: operations.get,
    names: (delivery) => ({ delivery }),
    describe: describeDelivery,
  });
  addRetryCommand(deliveries, io);
}

/** An older server sends no history. */
type DeliveryView = Omit<DeliveryDetails, "history"> & Partial<DeliveryDetails>;

/** A delivery with its attempts, for a person. */
function describeDelivery(delivery: DeliveryView): string {
  const { code, error, nextAt, history = [] } = delivery;
  return (
    details([
      ["delivery", delivery.id],
      ["submission", delivery.submission],
      ["project", delivery.project],
      ["form", delivery.form],
      ["environment", delivery.environment],
      ["event", delivery.event],
      ["kind", delivery.kind],
      ["target", delivery.target],
      ["status", delivery.status],
      ["attempts", String(delivery.attempts)],
      ["next attempt", nextAt ?? "none"],
      ["last answer", code === null ? "none" : String(code)],
      ["last error", error ?? "none"],
    ]) + attemptTable(history)
  );
}

function attemptTable(history: readonly DeliveryAttempt[]): string {
  if (history.length === 0) return "";
  const rows = history.map(({ at, duration, code, error }) => [
    at,
    `${duration} ms`,
    code === null ? "" : String(code),
    error ?? "",
  ]);
  return `\n${table(["ATTEMPT", "TOOK", "ANSWER", "ERROR"], rows)}`;
}

const addListCommand = verb("list ls", {
  description: "list deliveries, newest first",
  options: [
    ["--form <form>", "only deliveries of this form, by its slug or key"],
    "project of forms",
    ["--submission <id>", "only deliveries of this submission"],
    ["--status <status>", `only deliveries with this status: ${DELIVERY_STATUSES.join(", ")}`],
    ["--limit <n>", "how many", String(DEFAULT_PAGE)],
    ["--before <id>", "only deliveries older than this one, for the next page"],
    "field",
  ],
  help: `
Examples:
  formflag deliveries list
  formflag deliveries list --form contact --status failed
  formflag deliveries list --submission 01a1fc49-92a7-75da-ab11-1c9958800353 --json
`,
  parse: async (input) => {
    const { limit, submission, status, before } = input.options as Record<string, string>;
    if (status !== undefined && !DELIVERY_STATUSES.some((each) => each === status))
      throw usage(`--status is one of ${DELIVERY_STATUSES.join(", ")}, not ${status}`);
    const given = { ...(await formFilter(input)), submission, status, before };
    const set = Object.entries(given).filter((each): each is [string, string] => each[1] !== undefined);
    return { limit: countValue(limit!, "--limit", 1), query: Object.fromEntries(set) };
  },
  run: async ({ client, print, note, suggest }, { limit, query }) => {
    const listing = { query, cursor: "before", limit, maxPage: MAX_PAGE } as const;
    const { items, next } = await listSome(client, operations.list, listing);
    const hasNotices = items.some(({ form }) => form === null);
    const rows = items.map((each) => [
      each.id,
      each.form ?? "",
      each.kind,
      shorten(each.target, 40),
      each.status,
      String(each.attempts),
      each.nextAt ?? "",
      each.error === null ? "" : shorten(each.error, 60),
      ...(hasNotices ? [noticeOf(each)] : []),
    ]);
    await print(
      items,
      table(
        [
          "ID",
          "FORM",
          "KIND",
          "TARGET",
          "STATUS",
          "ATTEMPTS",
          "NEXT ATTEMPT",
          "LAST ERROR",
          ...(hasNotices ? ["NOTICE"] : []),
        ],
        rows,
      ),
    );
    if (next !== null) {
      const filters = Object.entries(query).filter(([name]) => name !== "before");
      const options = filters.map(([name, value]) => shown` --${name} ${value}`).join("");
      const size = limit === DEFAULT_PAGE ? "" : shown` --limit ${limit}`;
      note(`older ones: ${shown`formflag deliveries list --before ${next}`}${options}${size}\n`, {
        withJson: true,
      });
    } else if (items.length === 0) suggest("No deliveries here.");
  },
});

/** `flag.changed in shop/production`; empty for a submission. */
function noticeOf({ event, project, environment }: Delivery): string {
  if (event === null) return "";
  return `${event} in ${environment === null ? project : `${project}/${environment}`}`;
}

const addRetryCommand = verb("retry", {
  argument: ["[delivery...]", "ids of deliveries"],
  description: "send deliveries again, or now instead of at the time of their next attempt",
  options: [
    ["--failed", "all failed deliveries"],
    ["--form <form>", "with --failed: only deliveries of this form, by its slug or key"],
    "project of forms",
  ],
  help: `
The server sends them at once, and all attempts are available again. Deliveries to a disabled target are cancelled
again.

Examples:
  formflag deliveries retry 01a1fc49-92a7-75da-ab11-1c9958800353
  formflag deliveries retry --failed --form contact
`,
  parse: async (input, given) => {
    // A variadic argument arrives as an array.
    const ids = (given as unknown as string[] | undefined) ?? [];
    const { failed, form } = input.options as { failed?: true; form?: string };
    if (failed && ids.length > 0) throw usage("--failed and the ids of deliveries exclude each other");
    if (form !== undefined && !failed) throw usage("--form goes with --failed");
    if (failed) return { failed, ...(await formFilter(input)) };
    if (ids.length === 0) throw usage("name deliveries, or add --failed for all failed deliveries");
    const wrong = ids.find((id) => !SUBMISSION_ID.test(id.toLowerCase()));
    if (wrong !== undefined)
      throw usage(
        `${wrong} is not the id of a delivery`,
        "formflag deliveries list shows the ids; --failed retries all failed deliveries",
      );
    if (ids.length > MAX_PAGE) throw usage(`at most ${MAX_PAGE} deliveries at a time`);
    return { ids };
  },
  run: async ({ client, print }, values) => {
    const result = await client.call(operations.retry, { body: values });
    const { queued } = result;
    await print(result, `queued ${counted(queued, "delivery", "deliveries")}\n`);
  },
});
