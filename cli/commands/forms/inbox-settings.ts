import type { Command } from "commander";
import type { FormPatch } from "../../../src/forms/form.ts";
import { DEFAULT_SETTINGS } from "../../../src/forms/settings.ts";
import type { Input } from "../../session/input.ts";
import { usage } from "../../session/usage.ts";
import { durationValue, isUnset, switchValue, textOrNull } from "../../session/values.ts";

/** The options of `create` and `set` for what is stored, for how long, and for the pages that a sender sees. */
export function withInboxSettings(command: Command): Command {
  return command
    .option("--retention <time>", "delete submissions after this time, such as 90d; none for never")
    .option("--spam-retention <time>", "delete spam after this time; none for never, default for 30d")
    .option("--metadata <none|truncated|full>", "record address, browser, referrer and language of senders")
    .option("--success-message <text>", "text of the built-in page after a submission; default")
    .option(
      "--language <language>",
      "language of the built-in pages, such as de, or auto for the reader's; none",
    )
    .option("--page <on|off>", "serve a page with the fields of the schema");
}

type InboxOptions = {
  retention?: string;
  spamRetention?: string;
  metadata?: string;
  successMessage?: string;
  language?: string;
  page?: string;
};

/** The settings of `withInboxSettings` that were given, as the admin API takes them. Throws `invalid`. */
export function inboxSettingsOf(input: Input): FormPatch {
  const given = input.options as InboxOptions;
  const patch: FormPatch = {};
  if (given.retention !== undefined) {
    const isNever = isUnset(given.retention) || given.retention === "default";
    patch.retention = isNever ? null : durationValue(given.retention, "--retention");
  }
  if (given.spamRetention !== undefined) patch.spamRetention = spamRetentionValue(given.spamRetention);
  if (given.metadata !== undefined) patch.metadata = metadataValue(given.metadata);
  if (given.successMessage !== undefined) patch.successMessage = textOrNull(given.successMessage);
  // The admin API checks which languages there are.
  if (given.language !== undefined) patch.language = textOrNull(given.language) as FormPatch["language"];
  if (given.page !== undefined) patch.page = switchValue(given.page, "--page");
  return patch;
}

function spamRetentionValue(text: string): number | null {
  if (text === "default") return DEFAULT_SETTINGS.spamRetention;
  return isUnset(text) ? null : durationValue(text, "--spam-retention");
}

function metadataValue(text: string): FormPatch["metadata"] {
  if (isUnset(text) || text === "default") return null;
  if (text === "truncated" || text === "full") return text;
  throw usage(`--metadata is none, truncated or full, not ${text}`);
}
