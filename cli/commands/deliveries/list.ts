import type { Command } from "commander";
import { DEFAULT_PAGE, MAX_PAGE } from "../../../src/base/pages.ts";
import type { Delivery } from "../../../src/delivery/delivery.ts";
import { DELIVERY_STATUSES } from "../../../src/delivery/delivery-status.ts";
import { fieldOption } from "../../output/field.ts";
import type { Io } from "../../output/terminal.ts";
import { shorten, shown, table } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import type { Input } from "../../session/input.ts";
import { listSome } from "../../session/pages.ts";
import type { Session } from "../../session/session.ts";
import { usage } from "../../session/usage.ts";
import { countValue } from "../../session/values.ts";

export function addListCommand(deliveries: Command, io: Io): void {
  deliveries
    .command("list")
    .alias("ls")
    .description("list deliveries, newest first")
    .option("--form <form>", "only deliveries of a form, by its slug or key")
    .option("--submission <id>", "only deliveries of a submission")
    .option("--status <status>", `only deliveries of a status: ${DELIVERY_STATUSES.join(", ")}`)
    .option("--limit <n>", "how many", String(DEFAULT_PAGE))
    .option("--before <id>", "only older ones than that delivery, for the next page")
    .addOption(fieldOption())
    .addHelpText(
      "after",
      `
Examples:
  formflag deliveries list
  formflag deliveries list --form contact --status failed
  formflag deliveries list --submission 01a1fc49-92a7-75da-ab11-1c9958800353 --json
`,
    )
    .action(action(io, parse, run));
}

type Values = { limit: number; query: Record<string, string> };

function parse(input: Input): Values {
  const { limit, form, submission, status, before } = input.options as Record<string, string>;
  if (status !== undefined && !DELIVERY_STATUSES.some((each) => each === status))
    throw usage(`--status is one of ${DELIVERY_STATUSES.join(", ")}, not ${status}`);
  const given = { form, submission, status, before };
  const set = Object.entries(given).filter((each): each is [string, string] => each[1] !== undefined);
  return { limit: countValue(limit!, "--limit", 1), query: Object.fromEntries(set) };
}

async function run({ client, print, note, suggest }: Session, { limit, query }: Values): Promise<void> {
  const listing = { query, cursor: "before", limit, maxPage: MAX_PAGE } as const;
  const { items, next } = await listSome<Delivery>(client, "/deliveries", "deliveries", listing);
  const rows = items.map((each) => [
    each.id,
    each.form,
    each.kind,
    shorten(each.target, 40),
    each.status,
    String(each.attempts),
    each.nextAt ?? "",
    each.error === null ? "" : shorten(each.error, 60),
  ]);
  await print(
    items,
    table(["ID", "FORM", "KIND", "TARGET", "STATUS", "ATTEMPTS", "NEXT ATTEMPT", "LAST ERROR"], rows),
  );
  if (next !== null) {
    const filters = Object.entries(query).filter(([name]) => name !== "before");
    const options = filters.map(([name, value]) => shown` --${name} ${value}`).join("");
    const size = limit === DEFAULT_PAGE ? "" : shown` --limit ${limit}`;
    note(`older ones: ${shown`formflag deliveries list --before ${next}`}${options}${size}\n`, {
      withJson: true,
    });
  } else if (items.length === 0) suggest("No deliveries here.");
}
