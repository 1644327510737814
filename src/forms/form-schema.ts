import * as z from "zod/mini";
import { slugOf, timestamp } from "../base/slug-schema.ts";
import { patchedSettings, shownSettings } from "./settings/settings-schema.ts";

const formSlug = slugOf("form");

const { name, ...otherSettings } = shownSettings;

export const formSchema = z.object({
  slug: formSlug,
  name,
  /** The last segment of the URL that submissions are posted to. */
  key: z.string(),
  ...otherSettings,
  createdAt: timestamp,
  updatedAt: timestamp,
});

/** A form as the admin API shows it. */
export const formViewSchema = z.extend(formSchema, {
  /** The URL that submissions are posted to, or its path where the server has no public URL. */
  url: z.string(),
});

/** A change to a form: absent settings stay as they are, null resets a setting to its default. */
export const formPatchSchema = z.strictObject(patchedSettings);

export const newFormSchema = z.extend(formPatchSchema, { slug: formSlug });
