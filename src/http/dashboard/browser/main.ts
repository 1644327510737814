import { listenToChanges } from "./changes.ts";
import { followEdits } from "./edits.ts";
import { sendForms } from "./forms.ts";
import { openPalette } from "./palette.ts";
import { visitLinks } from "./visits.ts";
import { addHelpers, keepTimes, obeyKeys, showCurrent } from "./helpers.ts";

/** Enhancements with JavaScript; every page works without it. */
document.documentElement.classList.add("scripted");
for (const start of [
  sendForms,
  followEdits,
  listenToChanges,
  obeyKeys,
  keepTimes,
  addHelpers,
  showCurrent,
  openPalette,
  visitLinks,
])
  start();
