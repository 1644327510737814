import { AppError } from "../../src/base/errors.ts";
import { once } from "../../src/base/once.ts";
import type { Outgoing } from "../../src/delivery/outgoing.ts";
import { ADMIN_PATH } from "../../src/operations/operation.ts";
import type { Storage } from "../../src/storage.ts";
import { printableLines } from "../output/text.ts";
import type { Io } from "../output/terminal.ts";
import { type At, type Client, clientOn, withCallAt } from "./client.ts";
import { env } from "./env.ts";
import { userName } from "./user.ts";

/** A client of the admin API in this process, on the data itself. Throws as `openApp` does. */
export async function localClient(storage: Storage, version: string, io: Io): Promise<Client> {
  const [{ openApp }, { applyDue }, { directCall }] = await Promise.all([
    import("../data/open.ts"),
    import("../../src/flags/schedule/schedule.ts"),
    import("./direct.ts"),
  ]);
  const app = await openApp({ ...storage, writing: "inline" });
  const report = {
    error(error: unknown) {
      // The caller gets an AppError; a bug is printed in full here.
      if (!(error instanceof AppError)) io.err(`${printableLines(Bun.inspect(error))}\n`);
    },
    refused: () => {},
    spam: () => {},
  };
  const outgoing = once(() => openOutgoing(app.now, version));
  const admin = async (path: string) => {
    const { createAdminApp } = await import("../../src/http/admin/admin.ts");
    // As a server with the same environment shows it.
    const publicUrl = env["FORMFLAG_PUBLIC_URL"] ?? null;
    const dashboard = path.startsWith("/users") ? await dashboardAddress() : {};
    return createAdminApp(app, { version, report, publicUrl, outgoing, ...dashboard });
  };
  // Scheduled changes may have become due while no server ran.
  const catchUp = () => applyDue(app, (text) => io.note(`warning: ${text}\n`));
  let hasDeleted = false;
  const client = clientOn(
    null,
    async (request) => {
      const path = new URL(request.url).pathname.slice(ADMIN_PATH.length);
      // Forms, targets, mail, users and statistics do not depend on scheduled changes.
      if (!/^\/(forms|targets|submissions|deliveries|stats|mail|tokens|users|sessions)\b/.test(path))
        await catchUp();
      hasDeleted ||= request.method === "DELETE" || path === "/apply";
      return (await admin(path)).fetch(request, {
        operator: userName,
      });
    },
    async () => {
      // A server would do this in the background, but none may be running.
      if (hasDeleted) await (await import("../../src/forms/keeping/removal.ts")).clearDeletedForms(app);
      await app[Symbol.asyncDispose]();
    },
  );
  return withCallAt(client, async <T>(...args: Parameters<Client["callAt"]>) => {
    const call = directCall(args);
    if (!call) return client.callAt<T>(...args);
    await catchUp();
    return (await call(app)) as At<T>;
  });
}

/** Where the dashboard is, by the environment of this process. */
async function dashboardAddress() {
  const { linkBaseFromEnvironment } = await import("../serve/dashboard-config.ts");
  return linkBaseFromEnvironment(env);
}

/** Outgoing connections by the environment of this process. */
async function openOutgoing(now: () => number, version: string): Promise<Outgoing> {
  const [{ createOutgoing }, { outgoingFromEnvironment }] = await Promise.all([
    import("../../src/send/outgoing.ts"),
    import("../serve/outgoing-config.ts"),
  ]);
  return createOutgoing(await outgoingFromEnvironment(env), now, version);
}
