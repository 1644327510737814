/** Whether a text has a format. */
type Test = (text: string) => boolean;

/** The longest text of each format, in UTF-16 units: the expressions that check it are not all linear. */
const LONGEST = {
  date: 10,
  duration: 100,
  email: 320,
  hostname: 253,
  ipv4: 15,
  ipv6: 45,
  "json-pointer": 8192,
  "json-pointer-uri-fragment": 8192,
  regex: 1024,
  "relative-json-pointer": 8192,
  uri: 8192,
  "uri-reference": 8192,
  "uri-template": 8192,
  uuid: 36,
};

/**
 * The formats that are checked, from those of the library. Other names are allowed and have no effect, as in the
 * specification. `time` and `date-time` also allow what browsers send for such inputs: no seconds and no zone.
 */
export function createFormats(library: Readonly<Record<string, Test>>): Map<string, Test> {
  const formats = new Map<string, Test>();
  for (const [name, longest] of Object.entries(LONGEST)) {
    const test = library[name];
    if (test === undefined) throw new Error(`the library of schemas does not check ${name}`);
    formats.set(name, (text) => text.length <= longest && test(text));
  }
  const { time, "date-time": dateTime } = library;
  if (time === undefined || dateTime === undefined)
    throw new Error("the library of schemas does not check times");
  formats.set("time", (text) => text.length <= 40 && time(withZone(text)));
  formats.set("date-time", (text) => {
    return text.length <= 60 && dateTime(`${text.slice(0, 11)}${withZone(text.slice(11))}`);
  });
  // The library's expression for "url" backtracks without bound.
  formats.set("url", isUrl);
  return formats;
}

function withZone(time: string): string {
  if (/^\d\d:\d\d$/.test(time)) return `${time}:00Z`;
  return /^\d\d:\d\d:\d\d(?:\.\d+)?$/.test(time) ? `${time}Z` : time;
}

function isUrl(text: string): boolean {
  return text.length <= LONGEST.uri && /^(?:https?|ftp):\/\/\S+$/i.test(text) && URL.canParse(text);
}
