/** What to check, by what a mail server or the connection to it reported. The first that matches counts. */
const ADVICE: [pattern: RegExp, advice: string][] = [
  [
    /^STARTTLS/,
    "the server offers no encryption at this port: use smtps:// with its port for TLS (465), or ?starttls=off where nobody can listen in",
  ],
  [
    /^AUTH|^\S+ \S+: 53[0458] |Missing credentials/,
    "check the user in the SMTP URL (with %40 for an @) and the password; some providers want a password made for apps",
  ],
  [
    /^MAIL FROM/,
    "the server does not accept mail from that address: check the sender: --mail-from or FORMFLAG_MAIL_FROM",
  ],
  [
    /^RCPT TO: 5/,
    "the server does not accept mail to that address: check it, and whether the server wants a login",
  ],
  [/^DATA: 5/, "the server refused the message itself: its reply says why"],
  [/^[A-Z ]+: 4/, "the server asks to try again later: deliveries do that by themselves"],
  [/not match/, "the certificate is for another name: write that name as the host in the SMTP URL"],
  [/certificate/i, "the certificate is not trusted: name its authority with --smtp-ca or FORMFLAG_SMTP_CA"],
  [/ECONNREFUSED/, "nothing listens there: check host and port in the SMTP URL"],
  [/ENOTFOUND|EAI_AGAIN|EDNS/, "its name is not known: check the host in the SMTP URL"],
  [/WRONG_VERSION|packet length/, "the server does not start with TLS at this port: use smtp:// (587)"],
  [
    /greeting/i,
    "the server did not speak SMTP: for the port 465 use smtps://, and check the host; many networks block port 25",
  ],
  [
    /ETIMEDOUT|time(?:d )?-?out|not sent within/i,
    "check host and port in the SMTP URL, and whether a firewall blocks it",
  ],
];

/** What to check after a message was not delivered, in one sentence. */
export function adviceOn(error: string): string {
  const found = ADVICE.find(([pattern]) => pattern.test(error));
  return found?.[1] ?? "check host and port in the SMTP URL, and the log of the mail server";
}
