import { formatBytes } from "../../base/bytes.ts";
import { AppError } from "../../base/errors.ts";
import { PREVIEW_LIMITS } from "../limits.ts";

/** The content of a preview as HTML, as `renderMarkdown` makes it. */
export async function renderContent(markdown: string): Promise<string | null> {
  if (markdown === "") return "";
  // Imported on demand: few servers and commands need it.
  const { renderMarkdown } = await import("./preview-html.ts");
  return renderMarkdown(markdown);
}

/** Throws `invalid` for Markdown whose HTML would be too large. */
export async function requireSoundContent(markdown: string | undefined): Promise<void> {
  if (markdown === undefined || (await renderContent(markdown)) !== null) return;
  const limit = formatBytes(PREVIEW_LIMITS.html);
  throw new AppError("invalid", `the content of a preview makes at most ${limit} of HTML`);
}
