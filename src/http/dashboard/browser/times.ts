import { formatRelative } from "../relative-time.ts";

/** Keeps relative times right while a page is open, and gives the server the time zone for the next one. */
export function keepTimes(): void {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  document.cookie = `formflag_zone=${timeZone}; path=/; SameSite=Lax; max-age=31536000`;
  setInterval(() => {
    for (const time of document.querySelectorAll<HTMLTimeElement>("time[title]"))
      time.textContent = formatRelative(Date.parse(time.dateTime), Date.now());
  }, 30_000);
}
