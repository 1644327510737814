import type { Command } from "commander";
import type { FormPatch } from "../../../src/forms/form.ts";
import type { Input } from "../../session/input.ts";
import { usage } from "../../session/usage.ts";
import { countValue, isUnset, originsValue, rateValue, sizeValue, urlValue } from "../../session/values.ts";
import { deliverySettingsOf, withDeliverySettings } from "./delivery-settings.ts";
import { inboxSettingsOf, withInboxSettings } from "./inbox-settings.ts";
import { intakeSettingsOf, withIntakeSettings } from "./intake-settings.ts";

/** The options that `create` and `set` share. */
export function withSettings(command: Command): Command {
  command
    .option("--name <name>", "name for people")
    .option("--success-url <url>", "where a sender goes after a submission; none for the built-in page")
    .option("--error-url <url>", "where a sender goes after a failure; none for the built-in page")
    .option(
      "--allow-origin <url...>",
      "only pages of these origins may post, also https://*.example.com; any for all",
    )
    .option("--max-file-size <size>", "largest file, such as 10MB; default for 1MB")
    .option("--max-files <n>", "files in one submission; default for 5")
    .option("--rate-limit <rate>", "submissions of one sender, such as 20/h; off for no limit")
    .option("--block-sender <cidr...>", "addresses that may not post; none for no block");
  withIntakeSettings(command);
  withDeliverySettings(command);
  return withInboxSettings(command);
}

type SettingOptions = {
  name?: string;
  uploads?: string;
  successUrl?: string;
  errorUrl?: string;
  allowOrigin?: string[];
  maxFileSize?: string;
  maxFiles?: string;
  rateLimit?: string;
  blockSender?: string[];
};

/** The settings that were given, as the admin API takes them. Throws `invalid`. */
export async function settingsOf(input: Input): Promise<FormPatch> {
  const given = input.options as SettingOptions;
  const patch: FormPatch = {
    ...(await intakeSettingsOf(input)),
    ...(await deliverySettingsOf(input)),
    ...inboxSettingsOf(input),
  };
  if (given.name !== undefined) patch.name = given.name;
  if (given.uploads !== undefined) patch.uploads = onOff(given.uploads);
  if (given.successUrl !== undefined) patch.successUrl = urlValue(given.successUrl);
  if (given.errorUrl !== undefined) patch.errorUrl = urlValue(given.errorUrl);
  if (given.allowOrigin !== undefined) patch.allowedOrigins = originsValue(given.allowOrigin);
  if (given.maxFileSize !== undefined) patch.maxFileSize = sizeValue(given.maxFileSize, "--max-file-size");
  if (given.maxFiles !== undefined) {
    patch.maxFiles = given.maxFiles === "default" ? null : countValue(given.maxFiles, "--max-files");
  }
  if (given.rateLimit !== undefined) patch.rateLimit = rateValue(given.rateLimit, "--rate-limit");
  if (given.blockSender !== undefined)
    patch.blockedSenders = given.blockSender.filter((each) => !isUnset(each));
  return patch;
}

export function onOff(state: string): boolean {
  if (state !== "on" && state !== "off") throw usage(`uploads are on or off, not ${state}`);
  return state === "on";
}
