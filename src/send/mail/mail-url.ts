import { AppError } from "../../base/errors.ts";
import { isLoopbackHost } from "../../base/network.ts";
import { type SmtpServer, parseSmtpUrl } from "../smtp-url.ts";
import { REGIONS, SERVICES, type ServiceName } from "./service.ts";

/** A mail service without its key. */
type ServicePlace = { service: ServiceName; place: string; endpoint: string };

/** A mail server, or a mail service. */
export type MailPlace = { smtp: SmtpServer } | { service: ServicePlace };

/** A domain, or a region of AWS. */
const PLACES = {
  domain: /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/,
  region: /^[a-z]{2}-[a-z-]{2,20}-\d{1,2}$/,
};

/**
 * Parses `smtp[s]://…` as {@link parseSmtpUrl} does, or `resend:// | postmark:// | brevo:// | sendgrid:// | mailgun://DOMAIN |
 * ses://REGION`, with `?region=eu` for mailgun and sendgrid, and `?endpoint=URL`. Throws `invalid`; no error repeats the URL,
 * which may hold a key.
 */
export function parseMailUrl(text: string): MailPlace {
  if (/^smtps?:/i.test(text)) return { smtp: parseSmtpUrl(text) };
  const [, scheme = "", rest = "", query = ""] = /^([a-z]+):\/\/([^?#]*)(?:\?([^#]*))?$/i.exec(text) ?? [];
  const service = scheme.toLowerCase();
  if (!isService(service)) throw invalid(`a mail URL is smtp[s]://…, or begins with ${schemes()}`);
  const { place: kind, endpoint } = SERVICES[service];
  if (/[@:]/.test(rest))
    throw invalid(
      "the mail URL holds a key: store it in a file of its own or in its own environment variable",
    );
  const place = rest.replace(/\/$/, "").toLowerCase();
  if (kind === null && place !== "") throw invalid(`${service}:// has nothing behind it but parameters`);
  if (kind !== null && !PLACES[kind].test(place))
    throw invalid(`${service}:// names a ${kind}, as in ${service}://${EXAMPLES[kind]}`);
  const given = new URLSearchParams(query);
  const allowed = REGIONS.has(service) ? ["region", "endpoint"] : ["endpoint"];
  for (const name of given.keys())
    if (!allowed.includes(name) || given.getAll(name).length > 1)
      throw invalid(`the parameters of ${service}:// are ${allowed.join(" and ")}, each once`);
  const region = given.get("region");
  if (region !== null && region !== "eu" && region !== "us")
    throw invalid(`the region of ${service}:// is eu or us`);
  const other = given.get("endpoint");
  return {
    service: { service, place, endpoint: other === null ? endpoint(place, region) : endpointOf(other) },
  };
}

const EXAMPLES = { domain: "mg.example.com", region: "eu-central-1" };

/** The beginnings of URLs of services. */
function schemes(): string {
  const names = Object.keys(SERVICES).map((name) => `${name}://`);
  return `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}

function isService(name: string): name is ServiceName {
  return Object.hasOwn(SERVICES, name);
}

/** An address of the same interface. A key travels in the clear only within this machine. */
function endpointOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopbackHost(url.hostname));
  if (!isSafe || url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw invalid("the endpoint of a mail URL is an https:// address without a user or parameters");
  return url.href.replace(/\/$/, "");
}

function invalid(message: string): AppError {
  return new AppError("invalid", message, { reason: "mail-url-invalid" });
}
