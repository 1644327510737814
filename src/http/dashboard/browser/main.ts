import { listenToChanges } from "./changes.ts";
import { served } from "./document.ts";
import { followEdits } from "./edits.ts";
import { sendForms } from "./forms.ts";
import { openPalette } from "./palette.ts";
import { visitLinks } from "./visits.ts";
import { addHelpers, obeyKeys, showCurrent, tellZone } from "./helpers.ts";

/** Enhancements with JavaScript; every page works without it. */
document.documentElement.classList.add("scripted");
// First, because changes are reported only while the stream of events is open.
for (const start of [listenToChanges, sendForms, followEdits, obeyKeys, addHelpers, openPalette, visitLinks])
  start();
requestAnimationFrame(showCurrent);

/** Work that can wait until the page is shown, each in a task of its own. */
const later = [served, tellZone];
// Safari has no requestIdleCallback.
const whenIdle = window.requestIdleCallback ?? setTimeout;
const next = () => {
  later.shift()?.();
  if (later.length > 0) whenIdle(next);
};
whenIdle(next);
