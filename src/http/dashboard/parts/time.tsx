import { keepLast } from "../../../base/keep.ts";
import { formatRelative } from "../relative-time.ts";
import { useView } from "../view.ts";

/** A formatter for each zone, which has as many names as ways to write its letters large or small. */
const formatters = keepLast<Intl.DateTimeFormat>(50);

/** The last time that was written: hundreds of flags are last read in the same hour. */
let last = { at: Number.NaN, timeZone: "", text: "" };

/** A time as `3 min. ago`, with the exact one where the pointer rests. `at` is milliseconds since 1970. */
export function Time({ at, id }: { at: number; id?: string }) {
  const { now, timeZone } = useView();
  return (
    <time id={id} datetime={new Date(at).toISOString()} title={formatExact(at, timeZone)}>
      {formatRelative(at, now)}
    </time>
  );
}

/** A time as `22 Nov 2026, 09:30:12 UTC`. */
export function ExactTime({ at }: { at: number }) {
  const { timeZone } = useView();
  return <time datetime={new Date(at).toISOString()}>{formatExact(at, timeZone)}</time>;
}

export function formatExact(at: number, timeZone: string): string {
  if (last.at !== at || last.timeZone !== timeZone)
    last = { at, timeZone, text: formatterOf(timeZone).format(at) };
  return last.text;
}

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const options = { dateStyle: "medium", timeStyle: "long", timeZone } as const;
  return formatters(timeZone, () => new Intl.DateTimeFormat("en-GB", options));
}
