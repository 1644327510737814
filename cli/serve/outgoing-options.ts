import { Option } from "commander";
import { listOption } from "../session/command-line.ts";

/** The options of outgoing connections, which local commands read from their variables. */
export function outgoingOptions(): Option[] {
  return [
    new Option(
      "--smtp-url <url>",
      "mail server, as smtp[s]://user@host:port[?starttls=required|optional|off]",
    ).env("FORMFLAG_SMTP_URL"),
    new Option("--smtp-password-file <file>", "file with the password for the user in --smtp-url").env(
      "FORMFLAG_SMTP_PASSWORD_FILE",
    ),
    new Option(
      "--smtp-ca <file>",
      "certificates in PEM to trust for the mail server, instead of the usual ones",
    ).env("FORMFLAG_SMTP_CA"),
    new Option(
      "--mail-url <url>",
      "mail service in its place, as resend://, postmark://, brevo://, sendgrid://, mailgun://domain or ses://region, with ?region=eu or ?endpoint=url",
    ).env("FORMFLAG_MAIL_URL"),
    new Option("--mail-key-file <file>", "file with the key for --mail-url; for ses, ID:SECRET").env(
      "FORMFLAG_MAIL_KEY_FILE",
    ),
    new Option("--mail-from <address>", 'sender of mail, such as "Shop <shop@example.com>"').env(
      "FORMFLAG_MAIL_FROM",
    ),
    new Option(
      "--mail-helo <name>",
      "name that mail servers are greeted with (EHLO); default: of this machine, --public-url or --mail-from",
    ).env("FORMFLAG_MAIL_HELO"),
    new Option("--dkim-domain <domain>", "sign mail with DKIM for this domain").env("FORMFLAG_DKIM_DOMAIN"),
    new Option("--dkim-selector <selector>", "DKIM selector, the name of the key in DNS").env(
      "FORMFLAG_DKIM_SELECTOR",
    ),
    new Option("--dkim-key-file <file>", "RSA private key for DKIM, in PEM").env("FORMFLAG_DKIM_KEY_FILE"),
    listOption(
      "--target-network <cidr...>",
      "networks in which targets are allowed although they are not public",
    ).env("FORMFLAG_TARGET_NETWORK"),
  ];
}

/** The options of deliveries in the background, which only a server sends. */
export function deliveryOptions(): Option[] {
  return [
    new Option("--alert-mail <address>", "address that gets mail about deliveries that failed for good").env(
      "FORMFLAG_ALERT_MAIL",
    ),
    new Option(
      "--retry-delays <times>",
      "how long a delivery waits after each failed attempt; none for a single attempt",
    )
      .env("FORMFLAG_RETRY_DELAYS")
      .default("5s 5m 30m 2h 5h 10h 14h 20h 24h"),
  ];
}
