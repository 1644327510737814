import { hostname } from "node:os";
import { type Caller, confirmationIn, operatorCaller } from "../../src/access/caller.ts";
import { requireScopeSomewhere } from "../../src/access/rights.ts";
import type { Scope } from "../../src/access/scope.ts";
import { NO_BROWSER } from "../../src/access/session.ts";
import type { App } from "../../src/app.ts";
import { isOnReadOnlyDisk } from "../../src/base/directory.ts";
import { once } from "../../src/base/once.ts";
import type { Outgoing } from "../../src/delivery/outgoing.ts";
import { checkedInput } from "../../src/operations/call.ts";
import type { Deployment } from "../../src/operations/deployment.ts";
import { streamOf } from "../../src/http/exports.ts";
import { feedUrl, formUrl } from "../../src/http/forms/links.ts";
import { dashboardLink, pageLink } from "../../src/http/paths.ts";
import type { Download } from "../../src/operations/deployment.ts";
import type { Call, Operation } from "../../src/operations/operation.ts";
import type { Storage } from "../../src/storage.ts";
import type { Io } from "../output/terminal.ts";
import { printable } from "../output/text.ts";
import type { Settings } from "../serve/settings.ts";
import { Proposed, type Sent, type Transport, revisionIn } from "./client.ts";
import { env } from "./env.ts";
import { userName } from "./user.ts";

export type LocalOptions = { scopes?: readonly Scope[] | null; keepsSchema?: boolean };

/**
 * Runs operations in this process, on the data itself; with `scopes`, those alone that these allow. With `keepsSchema`, it may
 * not migrate the data. Throws as `openApp` does.
 */
export async function localTransport(
  storage: Storage,
  version: string,
  io: Io,
  { scopes = null, keepsSchema = false }: LocalOptions = {},
): Promise<Transport> {
  const { openApp } = await import("../data/open.ts");
  const app = await openApp({
    ...storage,
    keepsSchema,
    writing: "inline",
    note: (text) => io.note(`${printable(text)}\n`),
  });
  const isReadOnly = storage.shared === null && isOnReadOnlyDisk(storage.data);
  if (isReadOnly)
    app.store.audit.append = async () =>
      io.note("warning: the disk is read-only: this is not in the audit log\n");
  const deployment = deploymentOf(app, storage, version);
  let hasDeleted = false;
  const run = async (operation: Operation, sent: Sent, told: Pick<Call, "tag" | "omit">) => {
    const { method, place, tag: noun } = operation;
    const isDocument = noun === "documents";
    // Scheduled changes may have become due while no server ran.
    if (!isReadOnly && (isDocument || place === "project" || place === "environment"))
      await applyScheduled(app, io);
    hasDeleted ||= method === "DELETE" || (isDocument && method === "POST");
    const call = { app, deployment, ...told, ...(await callOf(operation, sent)) };
    if (sent.as !== undefined) {
      const { tokenCaller } = await import("../../src/access/tokens.ts");
      call.caller = await tokenCaller(app, sent.as, (hash) => app.store.tokens.find(hash), call.caller);
    }
    if (scopes !== null) call.caller = limited(call.caller, scopes, operation);
    const { propose, bypass = false } = sent;
    if (propose === undefined && !bypass) return { value: await operation.run(call) };
    const { performBy, withPage } = await import("../../src/operations/changes/perform.ts");
    const performed = await performBy(
      propose === undefined ? { bypass: true } : { propose },
      operation,
      call,
    );
    return "change" in performed ? { change: await withPage(deployment, performed.change) } : performed;
  };
  return {
    async send(operation, sent) {
      let [tag, omitted]: [string?, number?] = [];
      const performed = await run(operation, sent, {
        tag: (given) => void (tag = String(given)),
        omit: (flags) => void (omitted = flags),
      });
      // Other servers find it within a minute.
      if (operation.method !== "GET") await app.store.servers?.wake().catch(() => {});
      if ("change" in performed) throw new Proposed(performed.change);
      return { value: performed.value, revision: revisionIn(tag), omitted };
    },
    async open(operation, sent) {
      const { value } = (await run(operation, sent, { tag: () => {} })) as { value: Download };
      const { size, rows, content } = value;
      const body = content instanceof ReadableStream ? content : streamOf(content, () => {});
      return { size, rows, body };
    },
    async close() {
      // A server would do this in the background, but none may be running.
      if (hasDeleted) await (await import("../../src/forms/keeping/removal.ts")).clearDeletedForms(app);
      await app[Symbol.asyncDispose]();
    },
  };
}

/** Applies the scheduled changes and steps of ramps that are due; without any, their rules are not loaded. */
async function applyScheduled(app: App, io: Io): Promise<void> {
  const times = await Promise.all([app.store.scheduled.nextAt(), app.store.ramps.nextAt()]);
  if (!times.some((at) => at !== null && at <= app.now())) return;
  const { applyDue } = await import("../../src/flags/schedule/schedule-job.ts");
  await applyDue(app, (text) => io.note(`warning: ${text}\n`));
}

/** The caller with these scopes alone. Throws `forbidden` for an operation that needs another one. */
function limited(caller: Caller, scopes: readonly Scope[], { scope }: Operation): Caller {
  const { name } = caller;
  const narrow = { ...caller, name, grants: [{ scopes }] };
  if (scope !== null) requireScopeSomewhere(narrow, scope);
  return narrow;
}

/** A call by the person who runs this command. */
async function callOf(operation: Operation, { confirmed, why, source, ...given }: Sent) {
  const input = await checkedInput(operation, given);
  return { sender: NO_BROWSER, caller: callerOf(confirmed, why, source), ...input };
}

function callerOf(confirmed: string | undefined, why: string | undefined, source: Sent["source"]): Caller {
  // Its name is read when it is needed: a copy would read it now.
  return Object.assign(operatorCaller(userName, confirmationIn(confirmed), why), source && { source });
}

/** As the server that runs on the data, or one with the environment of this process. */
function deploymentOf(app: App, storage: Storage, version: string): Deployment {
  const running = once(() => findRunning(app, storage));
  const linkBase = async () => {
    const { linkBaseFromEnvironment } = await import("../serve/dashboard-config.ts");
    const { dashboardUrl, basePath } = linkBaseFromEnvironment(env);
    return dashboardUrl ?? (await running())?.dashboard ?? basePath;
  };
  return {
    outgoing: once(async () => openOutgoing(app.now, version, (await running())?.settings)),
    async sendsMail() {
      const settings = (await running())?.settings;
      if (settings !== undefined) return (settings["smtpUrl"] ?? settings["mailUrl"]) !== undefined;
      return (env["FORMFLAG_SMTP_URL"] ?? env["FORMFLAG_MAIL_URL"]) === undefined ? null : true;
    },
    async knowsUrl() {
      const { publicUrl, domain } = (await running())?.settings ?? {};
      return (publicUrl ?? domain ?? env["FORMFLAG_PUBLIC_URL"] ?? env["FORMFLAG_DOMAIN"]) !== undefined;
    },
    async feedUrl(token, format) {
      const url = env["FORMFLAG_PUBLIC_URL"] ?? (await running())?.url ?? null;
      return feedUrl(url, "", token, format);
    },
    formUrl: (key) => formUrl(env["FORMFLAG_PUBLIC_URL"] ?? null, "", key),
    signInUrl: async (secret) => dashboardLink(await linkBase(), secret),
    pageUrl: async (path) => pageLink(await linkBase(), path),
    commitMinutes: () => [],
    findings: async () => [],
    async status() {
      const [{ localFacts }, { readServers }] = await Promise.all([
        import("../serve/backups/local-facts.ts"),
        import("../../src/maintenance/running-servers.ts"),
      ]);
      const servers = (await readServers(app.store)) ?? [];
      return localFacts(
        storage,
        version,
        servers.map(({ settings }) => settings),
      );
    },
  };
}

/** The server that runs on the data, on a shared database one of this machine if there is any; null for none. */
async function findRunning(app: App, { data, shared }: Storage): Promise<Running | null> {
  const { readServing, senderUrl } = await import("../data/serving.ts");
  if (shared === null) {
    const serving = readServing(data);
    return serving && { ...serving, url: senderUrl(serving.settings, serving.origin) };
  }
  const { nearestServer, readServers } = await import("../../src/maintenance/running-servers.ts");
  const server = nearestServer((await readServers(app.store)) ?? [], hostname());
  return server && { ...server, url: senderUrl(server.settings, server.address) };
}

/** A server as it describes itself; `url` is where senders reach it, `settings` is undefined for an older one. */
type Running = { settings?: Settings; dashboard: string | null; url: string };

/**
 * Outgoing connections by the settings of the server that runs on the data, whose mail settings the environment of this process
 * replaces; without a server, by that environment alone.
 */
async function openOutgoing(
  now: () => number,
  version: string,
  settings: Settings | undefined,
): Promise<Outgoing> {
  const [{ createOutgoing }, { mailOfServer, outgoingFromEnvironment }] = await Promise.all([
    import("../../src/send/outgoing.ts"),
    import("../serve/outgoing-config.ts"),
  ]);
  const own = await outgoingFromEnvironment(env);
  if (settings === undefined) return createOutgoing(own, now, version);
  const targetNetworks = (settings["targetNetwork"] ?? []) as string[];
  const open = (mail: typeof own.mail) => createOutgoing({ targetNetworks, mail }, now, version);
  if (own.mail !== null) return open(own.mail);
  try {
    return open(await mailOfServer(settings, env));
  } catch (error) {
    // Webhooks need no password.
    return Object.defineProperty(open(null), "mail", {
      get(): never {
        throw error;
      },
    });
  }
}
