import type { Command } from "commander";
import { flags as operations } from "../../../src/operations/flags.ts";
import { fieldOption } from "../../output/field.ts";
import type { Io } from "../../output/terminal.ts";
import { alignedRight, table } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { environmentOption, projectOption } from "../../session/config.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";

export function addReadsCommand(flags: Command, io: Io): void {
  flags
    .command("reads")
    .argument("[flag]", "slug of a flag (default: all that were ever read)")
    .description("count who read flags in the last 24 hours. Counts are at most a minute late")
    .withOptions(projectOption(), environmentOption())
    .addOption(fieldOption())
    .after(`
Readers are named by their tokens. Those with the keys of the environment are counted together, and readers that evaluate
by themselves, with flagd, are not counted. With --json, the reads of each hour are listed, the current one last.

Examples:
  formflag flags reads -p shop
  formflag flags reads checkout -p shop -e production --json
`)
    .action(action(io, parse, run));
}

type Asked = { project: string; environment: string | undefined; flag: string | undefined };

async function parse(input: Input, flag: string | undefined): Promise<Asked> {
  const { environment } = input.options as { environment?: string };
  return { project: await input.project(), environment, flag };
}

async function run({ client, print, suggest }: Session, { project, ...query }: Asked): Promise<void> {
  const { flags } = await client.call(operations.reads, { names: { project }, query });
  const rows = flags.flatMap(({ flag, environments }) =>
    environments.map(({ environment, reads, readAt, by }) => {
      const readers = by.map(({ token, reads }) => `${token ?? "keys"} ${reads}`).join(", ");
      return [flag, environment, readAt ?? "never", readers, String(reads)];
    }),
  );
  const head = ["FLAG", "ENVIRONMENT", "LAST READ", "READ BY", "READS"];
  await print(flags, table(...alignedRight(head, rows, 4)));
  if (flags.length === 0) suggest("No flag was read.");
}
