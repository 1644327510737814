import { clock } from "../../base/clock.ts";
import { AppError, systemCode } from "../../base/errors.ts";
import { isMailAddress } from "../../delivery/address.ts";
import { type Attempt, delivered, unanswered } from "../../delivery/attempt.ts";
import type { Mailer, MailMessage } from "../../delivery/message.ts";
import { oneLine } from "../../delivery/text.ts";
import { jsonOf, textOf } from "../answer.ts";
import { parseRetryAfter } from "../request.ts";
import { NO_ADDRESS } from "../smtp-result.ts";
import type { Service, ServiceConfig, ServiceName } from "./service.ts";

/** Milliseconds for a message, from its first byte to the end of the answer. */
const TIMEOUT = 60_000;

/** Statuses that are about a message, unless its answer says that they are about the operator. */
const ABOUT_MESSAGE: ReadonlySet<number> = new Set([400, 413, 422]);

/**
 * Returns a mailer that hands messages to a mail service. A refusal of the message ends its delivery; a refused key, an
 * unconfirmed sender and an account without credit are retried, until the operator corrects them. Throws `invalid` without a key.
 */
export function createServiceMailer(config: ServiceConfig, timeout = TIMEOUT): Mailer {
  const key = requireKey(config);
  const closing = new AbortController();

  async function attempt(message: MailMessage): Promise<Attempt> {
    const [{ letterOf }, service] = await Promise.all([import("./letter.ts"), LOADERS[config.service]()]);
    const letter = await letterOf(message);
    const { path, headers, body } = await service.request(letter, { ...config, key });
    const limit = new AbortController();
    const timer = clock.after(timeout, () => limit.abort());
    try {
      const response = await fetch(config.endpoint + path, {
        method: "POST",
        headers: { ...(typeof body === "string" && { "Content-Type": "application/json" }), ...headers },
        body,
        redirect: "manual",
        proxy: false,
        keepalive: false,
        tls: { rejectUnauthorized: true, ...(config.ca !== null && { ca: config.ca }) },
        signal: AbortSignal.any([closing.signal, limit.signal]),
      });
      return answered(service, response, await textOf(response), message.to);
    } catch (error) {
      if (limit.signal.aborted) return fails(`no answer within ${timeout / 1000} s`);
      if (closing.signal.aborted) return fails("the server stops");
      const code = systemCode(error);
      // An error of a connection has a code; any other is a bug.
      if (code === "") throw error;
      return fails(`the connection to ${new URL(config.endpoint).hostname} failed (${code})`);
    } finally {
      timer.close();
      limit.abort();
    }
  }

  function answered(service: Service, response: Response, text: string, recipient: string) {
    const { status, headers } = response;
    const isSuccess = status >= 200 && status <= 299;
    // A portal or a proxy answered in place of the service, which did not get the message.
    const isPage = isSuccess && /^\s*</.test(text);
    if (isSuccess && !isPage) return delivered(status);
    const { message, isOperators } = isPage
      ? { message: "with a web page, which the service does not send", isOperators: true }
      : service.refusal({ status, headers, json: jsonOf(text) });
    const isFinal = ABOUT_MESSAGE.has(status) && !isOperators;
    const why = message === "" ? `the answer was ${status}` : `${status} ${message}`;
    return {
      outcome: isFinal ? ("refused" as const) : ("retry" as const),
      code: status,
      error: oneLine(`${config.service}: ${withoutSecrets(why, recipient)}`, 200),
      retryAfter: parseRetryAfter(headers.get("Retry-After"), clock.now()),
      isTargetDown: !isFinal,
    };
  }

  function fails(why: string): Attempt {
    return unanswered(`${config.service}: ${why}`, true);
  }

  /** A text without the key and without the recipient, who may be a stranger: errors are logged. */
  function withoutSecrets(text: string, recipient: string): string {
    const secrets = [key, ...key.split(":")].filter((each) => each.length > 5);
    const safe = secrets.reduce((left, each) => left.replaceAll(each, "[secret]"), text);
    return safe.replaceAll(new RegExp(RegExp.escape(recipient), "gi"), "[recipient]");
  }

  return {
    async send(message, withoutAttachments = null) {
      if (!isMailAddress(message.to)) return NO_ADDRESS;
      const first = await attempt(message);
      return first.outcome === "refused" && withoutAttachments !== null ? attempt(withoutAttachments) : first;
    },
    close: () => closing.abort(),
  };
}

function requireKey({ service, key }: ServiceConfig): string {
  if (key) return key;
  throw new AppError("invalid", `the mail service ${service} has no key`, { reason: "mail-key-missing" });
}

const LOADERS: Readonly<Record<ServiceName, () => Promise<Service>>> = {
  resend: async () => (await import("./resend.ts")).resend,
  postmark: async () => (await import("./postmark.ts")).postmark,
  brevo: async () => (await import("./brevo.ts")).brevo,
  sendgrid: async () => (await import("./sendgrid.ts")).sendgrid,
  mailgun: async () => (await import("./mailgun.ts")).mailgun,
  ses: async () => (await import("./ses.ts")).ses,
};
