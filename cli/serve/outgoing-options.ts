import { Option } from "commander";
import { listOption } from "../session/command-line.ts";

/** The options of outgoing connections, which local commands read from their variables. */
export function outgoingOptions(): Option[] {
  return [
    new Option(
      "--smtp-url <url>",
      "mail server, as smtp[s]://user@host:port[?starttls=required|optional|off]",
    ).env("FORMFLAG_SMTP_URL"),
    new Option("--smtp-password-file <file>", "file that holds the password of the user in --smtp-url").env(
      "FORMFLAG_SMTP_PASSWORD_FILE",
    ),
    new Option(
      "--smtp-ca <file>",
      "certificates in PEM to trust for the mail server, instead of the usual ones",
    ).env("FORMFLAG_SMTP_CA"),
    new Option("--mail-from <address>", 'sender of mail, such as "Shop <shop@example.com>"').env(
      "FORMFLAG_MAIL_FROM",
    ),
    new Option("--dkim-domain <domain>", "sign mail by DKIM for this domain").env("FORMFLAG_DKIM_DOMAIN"),
    new Option("--dkim-selector <selector>", "the name of the key in its DNS").env("FORMFLAG_DKIM_SELECTOR"),
    new Option("--dkim-key-file <file>", "the RSA private key, in PEM").env("FORMFLAG_DKIM_KEY_FILE"),
    listOption(
      "--target-network <cidr...>",
      "addresses that targets may have although they are not public",
    ).env("FORMFLAG_TARGET_NETWORK"),
  ];
}

/** The options of deliveries in the background, which only a server sends. */
export function deliveryOptions(): Option[] {
  return [
    new Option("--alert-mail <address>", "who gets mail about deliveries that failed for the last time").env(
      "FORMFLAG_ALERT_MAIL",
    ),
    new Option("--retry-delays <times>", "how long a delivery waits after each failed try; none for one try")
      .env("FORMFLAG_RETRY_DELAYS")
      .default("5s 5m 30m 2h 5h 10h 14h 20h 24h"),
  ];
}
