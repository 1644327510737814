import { formatBytes } from "../../../src/base/bytes.ts";
import type { Form } from "../../../src/forms/form.ts";
import { stateOf } from "../../../src/forms/intake/opening.ts";
import { DEFAULT_SETTINGS } from "../../../src/forms/settings.ts";
import { formUrl, pageUrl } from "../../../src/http/forms/links.ts";
import { details } from "../../output/text.ts";
import type { Config } from "../../session/config.ts";
import { settingDetails } from "./setting-details.ts";

type WithUrl<T> = T & { url: string };

/** A form with its URL, absolute if the address of the server is known. */
export function withUrl<T extends Form & { url?: string }>({ server }: Config, form: T): WithUrl<T> {
  const url = form.url ?? formUrl(null, "", form.key);
  if (server === null || URL.canParse(url)) return { ...form, url };
  const { origin, pathname } = new URL(server);
  // A proxy may remove a prefix that the server does not know.
  const prefix = pathname.replace(/\/+$/, "");
  return { ...form, url: origin + (url.startsWith(`${prefix}/`) ? url : prefix + url) };
}

/** A form with its key and its settings, for a person. */
export function describeForm(form: WithUrl<Form>): string {
  const { rateLimit } = form;
  return details([
    ["form", form.slug],
    ["name", form.name],
    ["key", form.key],
    ["address", form.url],
    // A server of an earlier version knows no pages.
    ...(form.page ? [["page", pageUrl(form.url)] as [string, string]] : []),
    // A server of an earlier version sends no times.
    ["state", stateOf({ ...DEFAULT_SETTINGS, ...form }, Date.now())],
    ["files", uploadsOf(form)],
    ["success URL", form.successUrl ?? "built-in page"],
    ["error URL", form.errorUrl ?? "built-in page"],
    ["origins", form.allowedOrigins.join(", ") || "any"],
    ["rate limit", rateLimit ? `${rateLimit.count} in ${rateLimit.seconds} s from one sender` : "none"],
    ["blocked senders", form.blockedSenders.join(", ") || "none"],
    ...settingDetails(form),
    ["created", form.createdAt],
    ["updated", form.updatedAt],
  ]);
}

/** The limits of uploads, or `off`. */
export function uploadsOf(form: Form): string {
  return form.uploads ? `at most ${form.maxFiles} of ${formatBytes(form.maxFileSize)}` : "off";
}
