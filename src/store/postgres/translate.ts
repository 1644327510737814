import type { Cut } from "../sql/work.ts";

/** A statement as PostgreSQL takes it, and the names of its parameters in the order of `$1`, `$2`, …. */
export type Translated = { text: string; names: readonly string[] };

/** The column of a statement with a cut that is no result: the bytes of the rows before. */
export const BYTES_BEFORE = "bytes_before";

/** Matches text that stays as it is, then text that is translated. */
const TOKENS = new RegExp(
  [
    /(?<asis>'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*)/,
    /(?<skip>\/\* skip locked \*\/)/,
    /(?<alone>\/\* for update alone \*\/)/,
    /(?<share>\/\* for key share \*\/)/,
    /(?<lock>\/\* for update(?: of (?<locked>\w+))? \*\/)/,
    /\/\* merged (?<order>ASC|DESC) \*\//,
    /(?<comment>\/\*[\s\S]*?\*\/)/,
    /\bjson_each\(\s*(?<list>\$\w+|'(?:[^']|'')*'|[\w.]+)\s*\)(?<alias>\s+(?:AS\s+)?(?!(?:WHERE|AS|ON|JOIN|LEFT|INNER|CROSS|ORDER|GROUP|LIMIT|UNION|EXCEPT|INTERSECT|HAVING|FOR|SET|RETURNING)\b)\w+)?/,
    /\bunhex\(\s*(?<hex>\$?[\w.]+)\s*(?:,\s*'-'\s*)?\)/,
    /(?<clock>\bunixepoch\('subsec'\))/,
    /\$(?<name>\w+)/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "gi",
);

/**
 * Translates the shared SQL: `$name` to `$n`, the markers of locks and of merged selects, `json_each` of a JSON array to rows of `key` (from
 * 0) and `value` (as text), `unhex` to bytes, `unixepoch` to the clock of the server. With a cut, rows after the one
 * that reaches it are left out.
 */
export function translate(sql: string, cut: Cut | null = null): Translated {
  const names: string[] = [];
  const numberOf = (name: string): string => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  };
  const valueOf = (text: string) => (text.startsWith("$") ? numberOf(text.slice(1)) : text);
  const text = sql.replace(TOKENS, (whole: string, ...rest: unknown[]) => {
    const found = rest.at(-1) as Record<string, string | undefined>;
    if (found["skip"] !== undefined) return "FOR UPDATE SKIP LOCKED";
    if (found["alone"] !== undefined) return "FOR UPDATE";
    if (found["share"] !== undefined) return "FOR KEY SHARE";
    if (found["lock"] !== undefined)
      return found["locked"] === undefined ? "FOR NO KEY UPDATE" : `FOR NO KEY UPDATE OF ${found["locked"]}`;
    if (found["order"] !== undefined) return `ORDER BY 1 ${found["order"]} LIMIT ${numberOf("limit")}`;
    if (found["clock"] !== undefined) return "EXTRACT(EPOCH FROM clock_timestamp())";
    if (found["name"] !== undefined) return numberOf(found["name"]);
    if (found["hex"] !== undefined)
      return `decode(replace(CAST(${valueOf(found["hex"])} AS TEXT), '-', ''), 'hex')`;
    if (found["list"] !== undefined) return eachOf(valueOf(found["list"]), found["alias"]?.trim());
    return whole;
  });
  return { text: cut === null ? text : cutRows(text, cut), names };
}

/** The cast to text first, because a parameter of type JSON would be sent as a JSON string. */
function eachOf(list: string, alias = "AS json_each"): string {
  return `(SELECT ordinality - 1 AS key, value
    FROM json_array_elements_text(CAST(CAST(${list} AS TEXT) AS JSON)) WITH ORDINALITY AS each (value, ordinality)) ${alias}`;
}

/**
 * The window keeps the order of the rows, since it sets no order itself. Pages count UTF-16 units, of which each is at
 * most four bytes here; counting characters would read every long text. A page needs two rows to know that there are more.
 */
function cutRows(text: string, { columns, bytes }: Cut): string {
  const size = columns.map((column) => `COALESCE(OCTET_LENGTH(rows."${column}"), 0)`).join(" + ");
  return `SELECT * FROM (
    SELECT rows.*, CASE WHEN ROW_NUMBER() OVER () <= 2 THEN 0
      ELSE SUM(${size}) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) END AS ${BYTES_BEFORE}
    FROM (${text}) AS rows
  ) AS counted WHERE ${BYTES_BEFORE} <= ${Math.trunc(bytes) * 4}`;
}
