import { hostname } from "node:os";
import { type Command, Option } from "commander";
import { AppError } from "../../src/base/errors.ts";
import { clock, isoTime } from "../../src/base/clock.ts";
import { login as operations } from "../../src/operations/access/login.ts";
import type { Output } from "../../src/operations/operation.ts";
import { createPrinter } from "../output/printer.ts";
import type { Io } from "../output/terminal.ts";
import { shown } from "../output/text.ts";
import { localAction } from "../session/action.ts";
import { type Client, clientOn } from "../session/client.ts";
import { type Config, readConfig, readServer } from "../session/config.ts";
import { findCredential, keepCredential } from "../session/kept/credentials.ts";
import { keep, readKept } from "../session/kept/kept.ts";
import { remoteTransport } from "../session/remote.ts";
import { usage } from "../session/usage.ts";
import { spanValue } from "../session/values.ts";
import { VERSION } from "../version.ts";

export function addLoginCommand(login: Command, io: Io): void {
  login
    .addOption(new Option("--for <time>", "how long the login lasts, at most 30d").default("12h"))
    .after(`
Prints an address and a code. Open the address in any browser, sign in to the dashboard, and allow the login. From then
on, commands act on that server with your current rights, until formflag logout. --data and --server name another place.

The login is stored in formflag/credentials.json under $XDG_CONFIG_HOME or ~/.config, readable only by you. A token that
is given with --token-file or a variable is used instead.

Exit code: 0 if the login was allowed, 4 if it was denied or not answered within 15 minutes.

Examples:
  formflag login --server https://flags.example.com
  formflag login --server https://flags.example.com --for 30d
`)
    .action(localAction(io, parseLogin, runLogin));
}

export function addLogoutCommand(logout: Command, io: Io): void {
  logout
    .after("\nExamples:\n  formflag logout --server https://flags.example.com\n")
    .action(localAction(io, parse, runLogout));
}

type Values = { config: Config; server: string; ca: Promise<string | null> };

function parse(command: Command): Values {
  const config = readConfig(command);
  const remote = readServer(command, config);
  if (remote === null)
    throw usage(
      `${command.name()} needs a server`,
      `name it: formflag ${command.name()} --server https://flags.example.com${command.name() === "login" ? "; formflag users link signs in to the dashboard of this machine" : ""}`,
    );
  return { config, ...remote };
}

function parseLogin(command: Command): Values & { seconds: number } {
  return { ...parse(command), seconds: spanValue(command.opts<{ for: string }>().for, "--for") };
}

/** The admin API of a server, with a token or without one. */
async function clientOf({ server, ca }: Values, token: string | null): Promise<Client> {
  return clientOn(remoteTransport({ server, token, ca: await ca }));
}

async function runLogin(io: Io, values: Values & { seconds: number }): Promise<void> {
  const { config, server, seconds } = values;
  const printer = createPrinter(io, config);
  const client = await clientOf(values, null);
  const before = await findCredential(server);
  const body = { client: clientName(), expiresIn: seconds };
  const begun = await client.call(operations.begin, { body });
  const page = (uri: string) => (uri.startsWith("/") ? `${new URL(server).origin}${uri}` : uri);
  // The login needs these lines, so that --quiet and --json print them too.
  io.note(shown`open      ${page(begun.verification_uri_complete)}\n`);
  io.note(shown`the code  ${begun.user_code}\n`);
  const waiting = printer.progress(0);
  waiting.draw("waiting until you allow the login there…");
  let token: Token;
  try {
    token = await poll(client, begun);
  } finally {
    waiting.clear();
  }
  const expiresAt = isoTime(clock.now() + token.expires_in * 1000);
  const { access_token, user } = token;
  await keepCredential(server, { token: access_token, user, expiresAt });
  await keep({ server });
  if (before) await end(values, before.token);
  await printer.report(
    { server, user, expiresAt },
    shown`logged in to ${server} as ${user}, until ${expiresAt}\n`,
  );
  printer.suggest("Commands now act on this server, until formflag logout; --data names other data.");
}

type Begun = Output<Awaited<ReturnType<typeof operations.begin.schemas>>>;
type Token = Output<Awaited<ReturnType<typeof operations.poll.schemas>>>;

/** Seconds by which polls come less often, as RFC 8628, 3.5 has it. */
const SLOWER = 5;

/** Polls until the login was answered or has expired. Throws `access_denied`, `expired_token`. */
async function poll(client: Client, { device_code, interval, expires_in }: Begun): Promise<Token> {
  const end = clock.steady() + expires_in * 1000;
  let seconds = interval;
  for (;;) {
    await clock.sleep(seconds * 1000);
    try {
      return await client.call(operations.poll, { body: { device_code } });
    } catch (error) {
      if (!(error instanceof AppError) || !WAITS.has(error.code)) throw error;
      if (clock.steady() > end) throw error;
      // A server that does not answer for a moment is polled less often too.
      if (error.code !== "authorization_pending") seconds += SLOWER;
    }
  }
}

const WAITS: ReadonlySet<string> = new Set([
  "authorization_pending",
  "slow_down",
  "rate_limited",
  "unavailable",
]);

async function runLogout(io: Io, values: Values): Promise<void> {
  const { config, server } = values;
  const known = await findCredential(server);
  const isKept = readKept().server === server;
  if (known === undefined && !isKept) {
    throw new AppError("not_found", `not logged in to ${server}`, {
      hint: "formflag login logs in; a token is revoked with formflag tokens revoke",
    });
  }
  const away = known ? await end(values, known.token).catch(unlessAway) : null;
  if (known) await keepCredential(server, null);
  if (isKept) await keep({ server: undefined });
  const printer = createPrinter(io, config);
  const result = { server, user: known?.user ?? null, result: away === null ? "ended" : "forgotten" };
  await printer.report(result, shown`logged out of ${server}\n`);
  if (away !== null)
    io.note(
      shown`warning: ${away.message}: the login is forgotten here, and valid there until ${known!.expiresAt}\n`,
    );
}

/** The error of a server that does not answer; throws any other. */
function unlessAway(error: unknown): AppError {
  if (error instanceof AppError && error.code === "unavailable") return error;
  throw error;
}

/** Ends a login on its server, where it may have ended already. */
async function end(values: Values, token: string): Promise<null> {
  try {
    await (await clientOf(values, token)).call(operations.end);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "unauthenticated") throw error;
  }
  return null;
}

/** The name of this command line on the page of the approval. */
function clientName(): string {
  const host = hostname().replaceAll(/[^\w.-]/g, "");
  return `formflag ${VERSION} on ${host || "an unnamed machine"}`.slice(0, 100);
}
