import { clock, isoTime } from "../../../src/base/clock.ts";
import { AppError } from "../../../src/base/errors.ts";
import type { Job } from "../../../src/base/jobs.ts";
import { sentence } from "../../../src/base/shapes/words.ts";
import { CHALLENGE_PATH, NO_CHALLENGE } from "../../../src/maintenance/doctor/domain.ts";
import type { Challenges } from "../../../src/send/acme/acme.ts";
import type { Authority } from "../../../src/send/acme/authority.ts";
import { loadAcme, loadRenewalInfo, loadSelfSigned } from "../../../src/send/acme/load.ts";
import type { Storage } from "../../../src/storage.ts";
import type { Site } from "../../../src/http/site.ts";
import { type Attempts, type KeptCertificate, certificateFiles, factsOf } from "../../data/certificates.ts";
import { hintFor } from "../../session/hints.ts";
import { readText } from "../../session/sources.ts";
import { usage } from "../../session/usage.ts";
import { VERSION } from "../../version.ts";
import { type Listener, type Tls, listen, whyNoAddress } from "../listen.ts";
import type { Log } from "../log.ts";
import type { ServeConfig } from "../config.ts";
import type { DomainSettings } from "./domain-options.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** The longest that a server waits before it orders again, in milliseconds, and how often it asks whether to renew early. */
const MOST_WAIT = 6 * HOUR;

/** Orders in an hour: authorities allow five failed ones for a name (Let's Encrypt). */
const MOST_ORDERS = 5;

/** The part of the life of a certificate after which it is renewed. */
const RENEWED_AT = 2 / 3;

/** A domain whose certificate the server gets and renews. */
export type OpenDomain = {
  /** The kept certificate; one of its own until there is one, which browsers refuse. */
  tls: Tls;
  /** Plain HTTP, which answers the authority and sends everything else to HTTPS. */
  listen: () => Promise<Listener>;
  /** Orders a certificate whenever one is due; `serve` receives each. */
  job: (serve: (tls: Tls) => Promise<void>) => Job;
  /** Waits for no order any more: the next start begins another one. */
  stop: () => void;
};

/**
 * Opens the domain of a server. Throws `unsupported` for a shared database, `forbidden` for files that cannot be read; `listen`
 * throws `unavailable` for an address that cannot be listened on.
 */
export async function openDomain(config: ServeConfig, storage: Storage, log: Log): Promise<OpenDomain> {
  const [settings, url] = [config.domain!, config.publicUrl!];
  if (storage.shared !== null) throw needsDirectory();
  const authority = await readAuthority(settings);
  const files = certificateFiles(storage.data, settings.directory);
  const challenges: Challenges = new Map();
  let current = files.certificate();
  let attempts = files.attempts();
  /** The time of the next look, in milliseconds since 1970. */
  let next = 0;
  const note = (change: Partial<Attempts>) => files.noteAttempts((attempts = { ...attempts, ...change }));

  const order = async (): Promise<KeptCertificate> => {
    const { accountKey, obtainCertificate } = await loadAcme();
    // Kept before its account is created, so that a crash leaves no account behind.
    let key = files.accountKey();
    if (key === null) files.keepAccountKey((key = await accountKey()));
    const tls = await obtainCertificate(authority, key, settings.names, challenges, VERSION);
    files.keep(tls);
    return { ...tls, ...factsOf(tls.cert) };
  };
  const look = async (serve: (tls: Tls) => Promise<void>) => {
    const now = clock.now();
    if (current !== null && covers(current, settings.names)) {
      next = await dueAt(current, authority);
      if (next > now) return;
    }
    const recent = attempts.at.filter((at) => at > now - HOUR && at <= now).slice(-MOST_ORDERS);
    if (recent.length === MOST_ORDERS) {
      next = recent[0]! + HOUR;
      if (attempts.failure) note({ failure: { ...attempts.failure, next } });
      return;
    }
    try {
      // Before the order, so that a server that crashes and starts again does not order more.
      note({ at: [...recent, now] });
      current = await order();
      await serve(current);
      note({ failure: null });
      const due = await dueAt(current, authority);
      // A new one that is due already, as by a clock that is wrong, waits for the next run at the latest.
      next = due > now ? due : now + (current.until - now) / 2;
      log.line(
        "info",
        `got a certificate for ${settings.names.join(", ")}, valid until ${isoTime(current.until)}`,
      );
    } catch (error) {
      const { message, retryAfter } = error instanceof AppError ? error : BUG;
      const hint = error instanceof AppError ? hintFor(error, undefined) : null;
      if (!(error instanceof AppError)) log.error(error);
      failures += 1;
      next = clock.now() + pause(failures, retryAfter);
      ifWritable(() => note({ failure: { message, hint, at: now, next } }));
      const advice = hint === null ? "" : ` ${sentence(hint)}`;
      log.line("warn", `${sentence(`no new certificate: ${message}`)}${advice} Next try: ${isoTime(next)}`);
      return;
    }
    failures = 0;
  };
  let failures = 0;
  const stopping = Promise.withResolvers<void>();

  const site = plainHttp(settings.names, url, challenges, () =>
    current !== null && current.until > clock.now() ? null : attempts.failure,
  );
  return {
    tls: current ?? (await ownCertificate(settings.names)),
    listen: () => listenOnHttp(settings, site, log),
    job: (serve) => ({
      name: "certificate",
      every: MOST_WAIT,
      next: async () => next,
      run: () => Promise.race([look(serve), stopping.promise]),
    }),
    stop: stopping.resolve,
  };
}

/** Writes a failure. One that cannot be written is most likely that nothing can, which the log and port 80 say. */
function ifWritable(write: () => void): void {
  try {
    write();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}

function needsDirectory(): AppError {
  return new AppError(
    "unsupported",
    "--domain needs a data directory, and this server uses a shared database",
    {
      hint: "several servers share one address: let the proxy before them serve HTTPS, or pass --tls-cert and --tls-key",
    },
  );
}

const BUG = { message: "internal error, see the log", retryAfter: null };

/** Whether a certificate is for all these names. */
function covers({ names }: KeptCertificate, wanted: readonly string[]): boolean {
  return wanted.every((name) => names.includes(name));
}

/** When a certificate is renewed: after two thirds of its life, or earlier if its authority suggests it. */
async function dueAt({ cert, from, until }: KeptCertificate, authority: Authority): Promise<number> {
  const usual = from + (until - from) * RENEWED_AT;
  const { suggestedRenewal } = await loadRenewalInfo();
  const suggested = await suggestedRenewal(authority, cert, clock.fraction()).catch((error: unknown) => {
    // An authority that is away for a while makes nothing worse.
    if (error instanceof AppError) return null;
    throw error;
  });
  return Math.min(suggested ?? usual, usual);
}

/** Milliseconds to wait after so many failures: from one minute to six hours, between them as long as the authority says. */
function pause(failures: number, retryAfter: number | null): number {
  const usual = Math.min(MINUTE * 2 ** (failures - 1), MOST_WAIT) * (0.9 + clock.fraction() / 10);
  return Math.min(Math.max(usual, (retryAfter ?? 0) * 1000), MOST_WAIT);
}

/** Answers the authority, redirects browsers, and explains itself until the first certificate. */
function plainHttp(
  names: readonly string[],
  url: string,
  challenges: Challenges,
  failure: () => Attempts["failure"],
): Site {
  const fetch = ({ url: asked, headers }: Request): Response => {
    // A request of HTTP/1.0 without a host has its path alone here.
    const parts = URL.parse(asked, url);
    if (parts === null || !parts.pathname.startsWith("/")) return text(400, "This is no address of a page.");
    const { pathname, search, hostname } = parts;
    if (pathname.startsWith(CHALLENGE_PATH)) {
      const answer = challenges.get(pathname.slice(CHALLENGE_PATH.length));
      return answer === undefined ? text(404, NO_CHALLENGE) : text(200, answer);
    }
    const failed = failure();
    if (failed !== null) return text(503, whyNone(names, failed));
    const to = new URL(url);
    if (headers.has("Host") && names.includes(hostname)) to.hostname = hostname;
    return new Response(null, {
      status: 308,
      headers: { Location: `${to.origin}${pathname}${search}`, "Cache-Control": "no-store" },
    });
  };
  return { fetch, hot: [], warm: async () => {} };
}

function whyNone(
  names: readonly string[],
  { message, hint, next }: NonNullable<Attempts["failure"]>,
): string {
  const advice = hint === null ? "" : `\n${sentence(hint)}`;
  return `There is no certificate for ${names.join(", ")} yet.\n${sentence(message)}${advice}\nNext try: ${isoTime(next)}`;
}

function text(status: number, body: string): Response {
  const headers = {
    "Content-Type": "text/plain; charset=utf-8",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
  };
  return new Response(`${body}\n`, { status, headers });
}

async function listenOnHttp({ http }: DomainSettings, site: Site, { error }: Log): Promise<Listener> {
  try {
    return listen(http, site, null, error, "alone", "--http-listen");
  } catch (cause) {
    throw await whyNoAddress(cause, http, "--http-listen");
  }
}

/** Signed by itself: it makes HTTPS answer while the authority has issued none. */
async function ownCertificate(names: readonly string[]): Promise<Tls> {
  const { selfSigned } = await loadSelfSigned();
  return selfSigned(names);
}

/** The authority of these settings. Throws `forbidden` or `invalid` for a file that cannot be used. */
export async function readAuthority({
  directory,
  caFile,
  bindingFile,
  email,
}: DomainSettings): Promise<Authority> {
  const binding =
    bindingFile === null ? null : bindingIn(await readText(bindingFile, "--acme-eab"), bindingFile);
  const ca = caFile === null ? null : await readText(caFile, "--acme-ca");
  try {
    if (ca !== null) factsOf(ca);
  } catch (cause) {
    throw new AppError("invalid", `--acme-ca ${caFile} holds no certificate`, {
      hint: "it has to be in PEM, and begins with -----BEGIN CERTIFICATE-----",
      cause,
    });
  }
  return { directory, ca, binding, email };
}

function bindingIn(text: string, file: string): Authority["binding"] {
  const [id, key, ...more] = text.trim().split(/\s+/);
  if (id && key && more.length === 0) return { id, key };
  throw usage(
    `--acme-eab ${file} does not hold an id and a key`,
    "write the id in the first line, the key in the second",
  );
}
