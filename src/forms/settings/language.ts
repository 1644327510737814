import { LANGUAGES, type Language } from "./kept.ts";

/** The most wanted language of a header `Accept-Language` (RFC 9110, 12.5.4), of those there are: `de-AT` is `de`. */
export function askedLanguage(header: string): Language {
  const ranges = header.split(",").map((range) => {
    const [tag = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const quality = parameters.find((each) => /^q\s*=/.test(each))?.split("=")[1];
    return { primary: tag.split(/[-_]/)[0], quality: quality === undefined ? 1 : Number(quality) };
  });
  const wanted = ranges.filter(({ quality }) => quality > 0).toSorted((a, b) => b.quality - a.quality);
  for (const { primary } of wanted) {
    if (primary === "*") return "en";
    const language = LANGUAGES.find((each) => each === primary);
    if (language) return language;
  }
  return "en";
}
