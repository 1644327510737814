import { AppError } from "../../base/errors.ts";
import { NO_MAIL_SERVER } from "../../delivery/delivery-status.ts";
import type { MailConfig } from "../../send/mail/service.ts";
import type { SendingForm } from "../../store/sqlite/inspect.ts";
import type { Server, Surroundings } from "./surroundings.ts";
import { type Finding, ok, problem, warning } from "../finding.ts";

/**
 * Checks the mail server, links in outgoing messages, and permitted networks of targets. `sending` lists the forms that
 * need them. Without `connects`, the mail server is not contacted.
 */
export async function checkOutgoing(
  { outgoing, publicUrl }: Server,
  sending: SendingForm[],
  connects: boolean,
  by: Surroundings,
): Promise<Finding[]> {
  let mail: MailConfig | null;
  try {
    mail = await by.loadMail();
  } catch (error) {
    return [unusable(error, by)];
  }
  return [
    mail === null ? withoutMail(sending, by) : connects ? await checkMail(mail, by) : uncheckedMail(mail),
    ...(mail !== null && connects ? await checkSender(mail) : []),
    ...(publicUrl === null ? withoutLinks(sending, by) : []),
    await checkNetworks(outgoing.targetNetworks, by),
    ...(await checkProvider(connects, by)),
  ];
}

function withoutMail(sending: SendingForm[], { option }: Surroundings): Finding {
  const [check, message] = ["mail", NO_MAIL_SERVER];
  const mailing = sending.filter(({ notifies, replies, asks }) => notifies || replies || asks);
  if (mailing.length === 0) return ok(check, message);
  const hint = `give the server ${option("smtp-url")} or ${option("mail-url")}, and ${option("mail-from")}: the mail waits until then`;
  return warning(check, `${message}, and ${namesOf(mailing)} would send mail`, hint);
}

function uncheckedMail(mail: MailConfig): Finding {
  return ok("mail", `from ${mail.from.address} by ${placeOf(mail)}, which was not contacted`);
}

function placeOf(mail: MailConfig): string {
  return "service" in mail
    ? `the mail service ${mail.service}`
    : `the mail server ${mail.host} port ${mail.port}`;
}

async function checkMail(mail: MailConfig, by: Surroundings): Promise<Finding> {
  const check = "mail";
  const place = placeOf(mail);
  // A service has no request that shows whether it would take mail.
  if ("service" in mail) {
    if (mail.key !== null) return ok(check, `mail goes to ${place}; formflag mail test sends a message`);
    return problem(check, `${place} has no key`, `give the server ${by.option("mail-key-file")}`);
  }
  const { checkMailServer } = await import("../../send/smtp-check.ts");
  let failure: string | null;
  try {
    failure = await checkMailServer(mail);
  } catch (error) {
    return unusable(error, by);
  }
  if (failure !== null) return problem(check, `${place}: ${failure}`, by.adviceOn(failure));
  const login = mail.user === null ? "" : `, also the login of ${mail.user}`;
  return ok(check, `${place} accepts connections${login}; formflag mail test sends a message`);
}

/** The DNS records of the sender's domain. */
async function checkSender(mail: MailConfig): Promise<Finding[]> {
  const sender = await (await import("../../send/mail/sender-dns.ts")).inspectSender(mail);
  if (sender === null) return [];
  const faults = sender.records.filter(({ state }) => state === "missing" || state === "wrong");
  if (faults.length === 0) return [ok("sender", sender.verdict)];
  return faults.map(({ name, message, add }) =>
    warning("sender", `${name} of ${sender.domain}: ${message}`, add ?? sender.verdict),
  );
}

/** A setting with which `serve` refuses to start, or a password that only the server has. */
function unusable(error: unknown, { hintFor }: Surroundings): Finding {
  if (!(error instanceof AppError)) throw error;
  const finding = error.reason?.endsWith("-elsewhere") ? warning : problem;
  return finding("mail", error.message, hintFor(error) ?? "correct that setting of the server");
}

/** Checks that an OpenID provider answers with metadata that a sign-in needs. */
async function checkProvider(connects: boolean, { oidc, option }: Surroundings): Promise<Finding[]> {
  const check = "sign-in";
  if (oidc === null) return [];
  if (!connects) return [ok(check, `people sign in at ${oidc.issuer}, which was not contacted`)];
  try {
    await oidc.read();
    return [ok(check, `people sign in at ${oidc.issuer}, whose metadata is complete`)];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { message, cause } = error;
    const why = cause instanceof Error ? ` (${cause.message})` : "";
    const hint = `${option("oidc-issuer")} is the issuer exactly as the provider writes it, also a slash at its end`;
    return [problem(check, `the provider ${oidc.issuer}: ${message}${why}`, hint)];
  }
}

function withoutLinks(sending: SendingForm[], { option }: Surroundings): Finding[] {
  const linking = sending.filter(({ notifies, hasTargets }) => notifies || hasTargets);
  const asking = sending.filter(({ asks }) => asks);
  const messages = [
    ...(linking.length === 0
      ? []
      : [`links in mail and webhooks of ${namesOf(linking)} are paths, which lead nowhere from outside`]),
    ...(asking.length === 0 ? [] : [`no mail asks senders of ${namesOf(asking)} to confirm`]),
  ];
  const hint = `give the server its address: ${option("public-url")} https://forms.example.com`;
  return messages.map((message) => warning("links", message, hint));
}

/** One address of each range that no target should reach by accident. */
const OWN = {
  IPv4: ["127.0.0.1", "10.0.0.1", "169.254.169.254", "172.16.0.1", "192.168.0.1"],
  IPv6: ["::1", "fc00::1", "fe80::1"],
};

async function checkNetworks(networks: string[], { option }: Surroundings): Promise<Finding> {
  const check = "targets";
  const { createAddressPolicy } = await import("../../send/networks.ts");
  const isAllowed = createAddressPolicy(networks);
  if (!OWN.IPv4.every(isAllowed) && !OWN.IPv6.every(isAllowed)) {
    const also = networks.length > 0 ? ` and addresses in ${networks.join(", ")}` : "";
    return ok(check, `webhooks reach public addresses${also}`);
  }
  return warning(
    check,
    `webhooks reach every address, also this machine and its network: ${networks.join(", ")}`,
    `let ${option("target-network")} name only the networks that targets are in`,
  );
}

/** The first forms of a list, for a sentence. */
function namesOf(forms: SendingForm[]): string {
  const names = forms.slice(0, 3).map(({ slug }) => slug);
  const more = forms.length - names.length;
  const all = [...names, ...(more > 0 ? [`${more} more`] : [])];
  const text = all.length === 1 ? all[0] : `${all.slice(0, -1).join(", ")} and ${all.at(-1)}`;
  return `the form${forms.length === 1 ? "" : "s"} ${text}`;
}
