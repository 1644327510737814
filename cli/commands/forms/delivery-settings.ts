import type { Command } from "commander";
import type { FormPatch } from "../../../src/forms/form.ts";
import type { Input } from "../../session/input.ts";
import { sourceOf } from "../../session/sources.ts";
import { isUnset, listValue, sizeValue, switchValue, textOrNull } from "../../session/values.ts";

/** The options of `create` and `set` for the mail that a submission causes. */
export function withDeliverySettings(command: Command): Command {
  return command
    .option("--notify <address...>", "addresses that get a message for each submission; or none")
    .option("--notify-subject <text>", "subject of these messages, such as 'From {{name}}'; default")
    .option("--email-field <name>", "field with the sender's address, for replies; default to find it")
    .option(
      "--attach <size>",
      "attach files up to this size together, else link them; default for 10MB, or none",
    )
    .option("--autoreply <on|off>", "answer the sender by mail")
    .option("--autoreply-subject <text>", "subject of the answer, such as 'Thanks, {{name}}'; default")
    .option("--autoreply-text <text>", "text of the answer, @FILE or -; default");
}

type DeliveryOptions = {
  notify?: string[];
  notifySubject?: string;
  emailField?: string;
  attach?: string;
  autoreply?: string;
  autoreplySubject?: string;
  autoreplyText?: string;
};

/** The settings of `withDeliverySettings` that were given, as the admin API takes them. Throws `invalid`. */
export async function deliverySettingsOf(input: Input): Promise<FormPatch> {
  const given = input.options as DeliveryOptions;
  const patch: FormPatch = {};
  if (given.notify !== undefined) patch.notify = listValue(given.notify);
  if (given.notifySubject !== undefined) patch.notifySubject = textOrNull(given.notifySubject);
  if (given.emailField !== undefined) patch.emailField = textOrNull(given.emailField);
  if (given.attach !== undefined)
    patch.attach = isUnset(given.attach) ? 0 : sizeValue(given.attach, "--attach");
  if (given.autoreply !== undefined) patch.autoreply = switchValue(given.autoreply, "--autoreply");
  if (given.autoreplySubject !== undefined) patch.autoreplySubject = textOrNull(given.autoreplySubject);
  if (given.autoreplyText !== undefined) {
    const text = textOrNull(given.autoreplyText);
    patch.autoreplyText = text && (await sourceOf(text, "--autoreply-text", input));
  }
  return patch;
}
