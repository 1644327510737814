import { join } from "node:path";
import { createTokenFinder } from "../../../src/access/token-finder.ts";
import { tokenCaller } from "../../../src/access/tokens.ts";
import type { App } from "../../../src/app.ts";
import { AppError } from "../../../src/base/errors.ts";
import { createFlagViews } from "../../../src/flags/reads/snapshots.ts";
import { openJournal } from "../../../src/following/relay/journal.ts";
import { startLink } from "../../../src/following/relay/link.ts";
import { Relay } from "../../../src/following/relay/relay.ts";
import { Spool } from "../../../src/following/relay/spool.ts";
import { openRelayStore } from "../../../src/following/relay/store.ts";
import { connectSource } from "../../../src/send/source.ts";
import { createProcess } from "../world/scheduler.ts";
import type { World } from "../world/world.ts";

const SOURCE = "https://source.example";

export type RelayProcess = ReturnType<typeof startRelay>;

/** Starts a server that follows the world, with a directory and the token that it has now; it ends at one of the awaits to come. */
export function startRelay(
  { scheduler, troubled, violated }: World,
  name: string,
  directory: string,
  token: () => string,
) {
  const process = createProcess(name);
  process.offset = (scheduler.chance.int(8) - 4) * 1000;
  const death = Promise.withResolvers<void>();
  process.end = () => {
    process.isDead = true;
    troubled();
    death.resolve();
  };
  return scheduler.as(process, () => {
    const report = (error: unknown) => {
      if (error instanceof AppError) scheduler.note(`reported ${error.message}`);
      else violated(`a bug: ${error instanceof Error ? error.stack : String(error)}`);
    };
    const relay = new Relay(openJournal(join(directory, "following"), SOURCE), report);
    const spool = new Spool(join(directory, "spool"));
    const app = { store: openRelayStore(relay, spool), watch: relay.watch(), now: relay.now } as App;
    const source = connectSource({
      address: `${SOURCE}/api/v1/follow`,
      readToken: async () => token(),
      caFile: undefined,
    });
    const link = startLink(relay, spool, source, "the source", { report, note: scheduler.note });
    const findToken = createTokenFinder(app.watch, app.store);
    const findFlags = createFlagViews(
      app,
      async ({ records }) => new Map(records.map((each) => [each.slug, each.revision])),
    );
    return {
      process,
      relay,
      spool,
      link,
      store: app.store,
      killed: death.promise,
      /** What a reader with that secret is answered; undefined for one that is refused. */
      read: (secret: string, project: string, environment: string) =>
        scheduler.as(process, async () => {
          try {
            await tokenCaller(app, secret, findToken, { hasConfirmed: () => false });
            return await findFlags(project, environment);
          } catch (error) {
            if (error instanceof AppError) return undefined;
            throw error;
          }
        }),
    };
  });
}
