/** Whether a text has a format. */
type Test = (text: string) => boolean;

/** A format: `typed` is the test of what a page sends, whose inputs let through more than the specification of the format. */
export type Format = { test: Test; typed: Test };

/** The longest text of each format, in UTF-16 units: the expressions that check it are not all linear. */
const LONGEST = {
  date: 10,
  duration: 100,
  hostname: 253,
  ipv4: 15,
  ipv6: 45,
  "json-pointer": 8192,
  "json-pointer-uri-fragment": 8192,
  regex: 1024,
  "relative-json-pointer": 8192,
  "uri-reference": 8192,
  "uri-template": 8192,
  uuid: 36,
};

/** The same of mail and web addresses. */
const LONGEST_EMAIL = 320;
const LONGEST_URI = 8192;
/** A host with a port, a user and a password. */
const MAX_HOST = 400;

/**
 * The formats that are checked, from those of the library. Other names are allowed and have no effect, as in the
 * specification. `time` and `date-time` also allow what browsers send for such inputs: no seconds and no zone. Mail and web
 * addresses may have spaces around them.
 */
export function createFormats(library: Readonly<Record<string, Test>>): Map<string, Format> {
  const formats = new Map<string, Format>();
  const add = (name: string, test: Test, typed = test) => formats.set(name, { test, typed });
  const find = (name: string): Test => {
    const test = library[name];
    if (test === undefined) throw new Error(`the library of schemas does not check ${name}`);
    return test;
  };
  for (const [name, longest] of Object.entries(LONGEST)) {
    const test = find(name);
    add(name, (text) => text.length <= longest && test(text));
  }
  const [time, dateTime, email, uri] = [find("time"), find("date-time"), find("email"), find("uri")];
  add("time", (text) => text.length <= 40 && time(withZone(text)));
  add(
    "date-time",
    (text) => text.length <= 60 && dateTime(`${text.slice(0, 11)}${withZone(text.slice(11))}`),
  );
  const trimmed =
    (longest: number, test: Test): Test =>
    (text) =>
      text.length <= longest && test(trim(text));
  add(
    "email",
    trimmed(LONGEST_EMAIL, email),
    trimmed(LONGEST_EMAIL, (text) => email(text) || isTypedEmail(text)),
  );
  // The library lets a port be any text.
  add(
    "uri",
    trimmed(LONGEST_URI, (text) => uri(text) && isAddress(text)),
    trimmed(LONGEST_URI, isTypedUrl),
  );
  // The library's expression for "url" backtracks without bound.
  add(
    "url",
    trimmed(LONGEST_URI, (text) => /^(?:https?|ftp):\/\/\S+$/i.test(text) && isAddress(text)),
    trimmed(LONGEST_URI, (text) => /^(?:https?|ftp):\/\//i.test(text) && isTypedUrl(text)),
  );
  return formats;
}

function withZone(time: string): string {
  if (/^\d\d:\d\d$/.test(time)) return `${time}:00Z`;
  return /^\d\d:\d\d:\d\d(?:\.\d+)?$/.test(time) ? `${time}Z` : time;
}

/** Without the white space that browsers remove around addresses: https://infra.spec.whatwg.org/#ascii-whitespace */
function trim(text: string): string {
  return text.replace(/^[\t\n\f\r ]+/, "").replace(/(?<![\t\n\f\r ])[\t\n\f\r ]+$/, "");
}

const LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
/** https://html.spec.whatwg.org/#valid-e-mail-address */
const TYPED_EMAIL = new RegExp(`^[\\w.!#$%&'*+/=?^\`{|}~-]+@${LABEL}(?:\\.${LABEL})*$`, "i");

/** Browsers send a domain as it was typed, or in ASCII. */
function isTypedEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  const domain = text.slice(at + 1);
  if (/^[!-~]*$/.test(domain)) return TYPED_EMAIL.test(text);
  // Only letters, marks, digits and hyphens: anything else would end the host of an address.
  if (!/^[\p{L}\p{M}\p{N}.-]{1,253}$/u.test(domain)) return false;
  const host = URL.parse(`http://${domain}/`)?.hostname;
  return host !== undefined && TYPED_EMAIL.test(`${text.slice(0, at)}@${host}`);
}

/** https://html.spec.whatwg.org/#url-state-(type=url) */
function isTypedUrl(text: string): boolean {
  return !/\p{Cc}/u.test(text) && isAddress(text);
}

/** Whether a text is a full address. The host is bounded first, as reading one takes time quadratic in its marks. */
function isAddress(text: string): boolean {
  const [, host = ""] = /^(?:https?|wss?|ftp|file):[/\\]*([^/\\?#]*)/i.exec(text) ?? [];
  return host.length <= MAX_HOST && URL.canParse(text);
}
