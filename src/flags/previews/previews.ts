import { isoTime } from "../../base/clock.ts";
import { yieldToEventLoop } from "../../base/event-loop.ts";
import { hasExpired, type PreviewedFlag } from "../flag.ts";
import { renderContent } from "./preview-content.ts";
import { type FindSnapshot, createSnapshots } from "../reads/snapshots.ts";
import type { FlagsApp } from "../store.ts";

/** The previews of one environment, newest first, with their content as HTML. */
export type PreviewSet = {
  flags: PreviewedFlag[];
  /** The HTML by its Markdown. */
  html: Map<string, string>;
};

/**
 * Finds the previews of the environment that two keys select. The Markdown is rendered when previews are read into
 * memory, and again only after it changes. So text that was stored, restored or written by another version is never
 * served without being cleaned.
 */
export function createPreviewSets({ watch, store }: FlagsApp): FindSnapshot<PreviewSet> {
  return createSnapshots<PreviewSet>(watch, store, async (selection, before) => {
    const flags = await selection.previews();
    const html = new Map<string, string>();
    for (const { previewContent: markdown } of flags) {
      if (html.has(markdown)) continue;
      const known = before?.html.get(markdown);
      html.set(markdown, known ?? (await renderContent(markdown)) ?? "");
      if (known === undefined) await yieldToEventLoop();
    }
    return { flags, html };
  });
}

/** A preview of a set as readers see it at `now`, in milliseconds since 1970. */
export function viewPreview({ html }: PreviewSet, flag: PreviewedFlag, now: number) {
  return {
    slug: flag.slug,
    enabled: flag.enabled && !hasExpired(flag, now),
    isPreview: true,
    previewName: flag.previewName,
    previewContent: html.get(flag.previewContent)!,
    expiredAt: flag.expiresAt === null ? null : isoTime(flag.expiresAt),
    createdAt: isoTime(flag.createdAt),
  };
}
