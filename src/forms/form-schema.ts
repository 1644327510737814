import * as z from "zod/mini";
import { slugOf, timestamp } from "../base/slug-schema.ts";
import { patchedSettings, shownSettings } from "./settings/settings-schema.ts";

const formSlug = slugOf("form");
const projectSlug = slugOf("project");

const { name, ...otherSettings } = shownSettings;

export const formSchema = z.object({
  /** The slug of its project. */
  project: projectSlug,
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

/** The settings of a form in a patch. Absent ones stay as they are; null restores the default. */
export const formSettingsSchema = z.strictObject(patchedSettings);

/** A change to a form; with a project, it moves there. */
export const formPatchSchema = z.extend(formSettingsSchema, { project: z.optional(projectSlug) });

/**
 * A new form. Without a project, it belongs to the only project in which the caller may write forms, or to `default` if
 * there are several.
 */
export const newFormSchema = z.extend(formPatchSchema, { slug: formSlug });
