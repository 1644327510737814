const UNITS = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const;

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });

/** Keeps relative times right while a page is open, and gives the server the time zone for the next one. */
export function keepTimes(): void {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  document.cookie = `formflag_zone=${timeZone}; path=/; SameSite=Lax; max-age=31536000`;
  setInterval(() => {
    for (const time of document.querySelectorAll<HTMLTimeElement>("time[title]")) {
      const distance = (Date.parse(time.dateTime) - Date.now()) / 1000;
      const unit = UNITS.find(([, size]) => Math.abs(distance) >= size);
      if (unit) time.textContent = relative.format(Math.trunc(distance / unit[1]), unit[0]);
    }
  }, 30_000);
}
