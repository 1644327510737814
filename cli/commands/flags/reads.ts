import { flags as operations } from "../../../src/operations/flags.ts";
import { alignedRight, table } from "../../output/text.ts";
import { verb } from "../../session/verb.ts";

export const addReadsCommand = verb("reads", {
  argument: ["[flag]", "slug of a flag (default: all that were ever read)"],
  description: "count who read flags in the last 24 hours. Counts are at most a minute late",
  options: ["project", "environment", "field"],
  help: `
Readers are named by their tokens. Readers with the keys of the environment are counted together. The provider of
@formflag/openfeature for servers reports its reads every minute; flagd, its providers and edges report none. With --json, the reads of each hour are listed, the current one last.

Examples:
  formflag flags reads -p shop
  formflag flags reads checkout -p shop -e production --json
`,
  parse: async (input, flag) => {
    const { environment } = input.options as { environment?: string };
    return { project: await input.project(), environment, flag };
  },
  run: async ({ client, print, suggest }, { project, ...query }) => {
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
  },
});
