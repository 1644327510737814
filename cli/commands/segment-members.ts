import type { Command } from "commander";
import { segments as operations } from "../../src/operations/segments.ts";
import { fieldOption } from "../output/field.ts";
import type { Io } from "../output/terminal.ts";
import { shown, table } from "../output/text.ts";
import { action } from "../session/action.ts";
import { environmentOption, projectOption } from "../session/config.ts";
import type { Input } from "../session/input.ts";
import { listAll } from "../session/pages.ts";
import type { Session } from "../session/session.ts";
import { usage } from "../session/usage.ts";
import { whyOption } from "../session/why.ts";

type Place = { project: string; environment: string; segment: string };

type ReadPlace = (input: Input, given?: string) => Promise<Place>;

/** The members of a segment and the values that wait, for a person. */
export function countsInWords({
  members = 0,
  pending = 0,
}: {
  members?: number | undefined;
  pending?: number | undefined;
}): string {
  const counted = `${members.toLocaleString("en")} ${members === 1 ? "member" : "members"}`;
  return pending === 0 ? counted : `${counted}, ${pending.toLocaleString("en")} pending`;
}

export function addMembersCommand(segments: Command, io: Io, readPlace: ReadPlace): void {
  const parse = async (input: Input, given?: string) => ({
    place: await readPlace(input, given),
    pending: input.options["pending"] === true,
  });
  segments
    .command("members")
    .argument("[name]", "name of the segment")
    .description("list the members of a segment that a form fills")
    .withOptions(projectOption(), environmentOption())
    .option("--pending", "list the values that are not approved")
    .addOption(fieldOption())
    .action(
      action(io, parse, async ({ client, print, suggest }, { place, pending }) => {
        const all = await listAll(client, operations.members, {
          names: place,
          query: { pending: String(pending) },
        });
        const rows = all.map(({ value, submissions }) => [value, String(submissions)]);
        await print(all, table(["VALUE", "SUBMISSIONS"], rows));
        if (all.length === 0) suggest(pending ? "Nothing is pending." : "No members yet.");
      }),
    );
}

type Approval = { place: Place; values: string[] | null };

export function addApproveCommand(segments: Command, io: Io, readPlace: ReadPlace): void {
  const parse = async (input: Input, given?: string, named?: string | string[]): Promise<Approval> => {
    const values = [named ?? []].flat();
    const place = await readPlace(input, given);
    const isAll = input.options["all"] === true;
    if (isAll && values.length > 0) throw usage("--all approves every value", "name values, or give --all");
    if (!isAll && values.length === 0)
      throw usage("the values are missing", "name them behind the segment, or give --all");
    return { place, values: isAll ? null : values };
  };
  segments
    .command("approve")
    .argument("[name]", "name of the segment")
    .argument("[value...]", "values that are pending, such as addresses")
    .description("approve values of a segment that a form fills")
    .withOptions(projectOption(), environmentOption())
    .option("--all", "approve everything that is pending")
    .addOption(whyOption())
    .after(`
Examples:
  formflag segments members beta -p shop -e production --pending
  formflag segments approve beta ann@example.com -p shop -e production
  formflag segments approve beta --all -p shop -e production
`)
    .action(action(io, parse, runApprove));
}

async function runApprove({ client, report }: Session, { place, values }: Approval): Promise<void> {
  const body = values === null ? { all: true as const } : { values };
  const segment = await client.call(operations.approve, { names: place, body });
  const { project, environment } = place;
  await report(
    segment,
    shown`segment ${segment.name} in ${project}/${environment}: ${countsInWords(segment)}\n`,
  );
}
