import type { Caller } from "../access/caller.ts";
import { requireScope } from "../access/rights.ts";
import { AppError } from "../base/errors.ts";
import { parseMailbox } from "../delivery/address.ts";
import type { ProjectPatch, ProjectSettings } from "./project.ts";
import { PROJECT_SETTINGS, SETTINGS } from "./project-settings.ts";

/** The least contrast of a colour that marks controls and links (WCAG 2.2, 1.4.11). */
const LEAST_CONTRAST = 3;

/** The contrast of a colour, as `#rrggbb`, with white (WCAG 2.2, contrast ratio): from 1 to 21. */
function contrastOnWhite(color: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 1.05 / (0.2126 * red! + 0.7152 * green! + 0.0722 * blue! + 0.05);
}

/** Throws `forbidden` for a patch of settings that the caller may not change, and `not_found` for a project not seen. */
export function requireSettings(caller: Caller, project: string, patch: ProjectPatch): void {
  requireScope(caller, "admin", { project });
  if (PROJECT_SETTINGS.some((name) => SETTINGS[name].isOfInstance && patch[name] !== undefined))
    requireScope(caller, "admin");
}

/** The settings of a project that a patch alters, as they were and as they will be; null for none. Throws `invalid`. */
export function alteredSettings(
  current: ProjectSettings,
  patch: ProjectPatch,
): { before: Partial<ProjectSettings>; after: Partial<ProjectSettings> } | null {
  const given = readSettings(patch);
  const names = PROJECT_SETTINGS.filter((name) => given[name] !== undefined && given[name] !== current[name]);
  if (names.length === 0) return null;
  const of = (all: ProjectPatch) => Object.fromEntries(names.map((name) => [name, all[name]]));
  return { before: of(current), after: of(given) };
}

/** The settings of a patch as they are stored. Throws `invalid`. */
function readSettings({ accent, mailFrom, ...patch }: ProjectPatch): ProjectPatch {
  return {
    ...patch,
    ...(accent !== undefined && { accent: accent && readAccent(accent) }),
    ...(mailFrom !== undefined && { mailFrom: mailFrom && readMailFrom(mailFrom) }),
  };
}

/** Throws `invalid` for a colour that is hard to see on white. */
function readAccent(text: string): string {
  const color = text.toLowerCase();
  const contrast = contrastOnWhite(color);
  if (contrast >= LEAST_CONTRAST) return color;
  // Rounded down, so that a contrast below the limit is never shown as the limit.
  const shown = (Math.floor(contrast * 100) / 100).toFixed(2);
  throw new AppError(
    "invalid",
    `accent: ${color} has a contrast of ${shown} on white, less than ${LEAST_CONTRAST}`,
    { reason: "accent-pale", hint: "choose a darker colour" },
  );
}

/** Throws `invalid` for a text that is no mail address. */
function readMailFrom(text: string): string {
  try {
    parseMailbox(text);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError("invalid", `mailFrom: ${error.message}`, { reason: error.reason ?? undefined });
  }
  return text.trim();
}
