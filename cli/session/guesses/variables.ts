import { own } from "../../../src/base/shapes/own.ts";
import { environmentOption, globalOptions, projectOption } from "../config.ts";
import { serveOptions } from "../../serve/options.ts";
import { nearestOf } from "./nearest.ts";

/** Environment variables without an option. */
export const OTHER_VARIABLES = [
  [
    "FORMFLAG_DATABASE_URL_FILE",
    "a file that holds the URL of the PostgreSQL database; FORMFLAG_DATABASE_URL and --database win over it",
  ],
  [
    "FORMFLAG_TO_DATABASE_URL_FILE",
    "a file that holds the URL of the database that migrate moves to; FORMFLAG_TO_DATABASE_URL and --to win over it",
  ],
  [
    "AWS_ACCESS_KEY_ID",
    "the credentials of the bucket that --blobs or --to-blobs names, and of ses in --mail-url",
  ],
  ["AWS_SECRET_ACCESS_KEY", "and their secret key"],
  ["AWS_SESSION_TOKEN", "and, with temporary credentials, their token"],
  ["FORMFLAG_TOKEN", "the token for --server itself; --token-file on the command line wins over it"],
  [
    "FORMFLAG_SMTP_PASSWORD",
    "the password of the user in --smtp-url itself; a file that --smtp-password-file names wins over it",
  ],
  ["FORMFLAG_MAIL_KEY", "the key for --mail-url itself; a file that --mail-key-file names wins over it"],
  [
    "FORMFLAG_DNS",
    "a name server, as 192.0.2.53:53, that mail test and doctor look up the sender's domain at, in place of the system's",
  ],
  ["FORMFLAG_SHARED_DATA", "1 accepts a data directory that other users may write in"],
  ["CI", "set to anything: never prompt, as with --no-input"],
  ["NO_COLOR", "set to anything: print without colours, as with --no-color"],
] as const;

/** Names that people give to a setting that has another one. */
const GUESSES: Readonly<Record<string, string>> = {
  HOST: "LISTEN",
  ADDRESS: "LISTEN",
  BIND: "LISTEN",
  DATA_DIR: "DATA",
  DATA_DIRECTORY: "DATA",
  DATABASE: "DATABASE_URL",
  DB: "DATABASE_URL",
  DB_URL: "DATABASE_URL",
  POSTGRES_URL: "DATABASE_URL",
  S3: "BLOBS",
  BUCKET: "BLOBS",
  URL: "SERVER or FORMFLAG_PUBLIC_URL",
  SERVER_URL: "SERVER",
  API_URL: "SERVER",
  BASE_URL: "PUBLIC_URL",
  API_KEY: "TOKEN",
  API_TOKEN: "TOKEN",
  ENV: "ENVIRONMENT",
  SMTP: "SMTP_URL",
  SMTP_HOST: "SMTP_URL",
  MAIL_URL: "SMTP_URL",
  SMTP_FROM: "MAIL_FROM",
  LOG: "LOG_LEVEL",
};

const PREFIX = "FORMFLAG_";

/**
 * A sentence for each variable that is not one of formflag's and whose name is near one of them, so that it is probably
 * misspelt. Other unknown names may be of other programs, such as those of Kubernetes for a service.
 */
export function misspeltVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  const options = [...globalOptions(), ...serveOptions(), projectOption(), environmentOption()];
  const known = [
    ...options.flatMap(({ envVar }) => envVar ?? []),
    ...OTHER_VARIABLES.map(([name]) => name),
    "FORMFLAG_TO_DATABASE_URL",
    "FORMFLAG_TO_BLOBS",
  ].flatMap((name) => (name.startsWith(PREFIX) ? name.slice(PREFIX.length) : []));
  return Object.keys(env).flatMap((name) => {
    // FORM_FLAG_DATA, FORMFLAGS_DATA and formflag_data are meant for formflag too.
    const [, prefix, rest] = /^(form_?flags?_)(\w+)$/i.exec(name) ?? [];
    if (prefix === undefined || rest === undefined || (prefix === PREFIX && known.includes(rest))) return [];
    const word = rest.toUpperCase();
    const meant = known.includes(word) ? word : (own(GUESSES, word) ?? nearestOf(word, known, true));
    const isNear = meant !== null && (own(GUESSES, word) === meant || isMisspelling(word, meant));
    return isNear ? [`the variable ${name} is not known: did you mean ${PREFIX}${meant}?`] : [];
  });
}

/** A third of a short name may be another name altogether. */
function isMisspelling(word: string, meant: string): boolean {
  return word.length > 3 && Math.abs(word.length - meant.length) <= 2;
}
