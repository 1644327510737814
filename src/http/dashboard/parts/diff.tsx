import { isObject, isStructure } from "../../../base/json.ts";
import { FIELDS } from "../../../flags/flag-fields.ts";
import { differencesInWords, valueInWords } from "../../../flags/rules/difference-words.ts";
import { isUnset } from "../../../projects/differences.ts";
import { OWN_RULE } from "../../../flags/rules/rule-words.ts";
import { visible } from "./text.tsx";

/** By name; a field of another thing that is called the same reads the same. */
const LABELS = new Map(Object.entries(FIELDS).map(([name, { label }]) => [name, label.toLowerCase()]));

/** Lines around a change that are shown with it. */
const AROUND = 2;
/** Lines of one value that are shown at most, and characters of one line. */
const MAX_LINES = 60;
const MAX_LINE = 500;

/**
 * Shows the difference of two states of one thing, such as a flag in the history, field by field, with removed and added
 * values. `{}` stands for a thing that does not exist. Rules are in words, with their JSON behind them.
 */
export function Diff({ before, after }: { before: unknown; after: unknown }) {
  const differences = differencesInWords(before, after);
  if (differences.length === 0) return <p class="soft">Nothing differs.</p>;
  return (
    <dl class="diff">
      {differences.map(({ field, words, before, after }) => (
        <div>
          {field !== null && <dt>{visible(LABELS.get(field) ?? field)}</dt>}
          <dd>
            {words === null ? (
              <Changed removed={linesOf(before, field ?? "")} added={linesOf(after, field ?? "")} />
            ) : (
              <>
                <Changed removed={wordsOf(words.before, before)} added={wordsOf(words.after, after)} />
                <details>
                  <summary class="small">As JSON</summary>
                  <Changed removed={linesOf(before, "")} added={linesOf(after, "")} />
                </details>
              </>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** The values of a change, field by field, whether they are so already or not: `off` and `none` too. */
export function Settings({ values }: { values: object }) {
  return (
    <dl class="diff">
      {Object.entries(values).map(([field, value]) => {
        const [words] = differencesInWords({}, { [field]: value });
        const lines = words?.words ? wordsOf(words.words.after, value) : linesOf(value, field);
        const none = value === false ? "off" : "none";
        return (
          <div>
            <dt>{visible(LABELS.get(field) ?? field)}</dt>
            <dd>
              <Lines sign="+" lines={lines.length === 0 ? [none] : lines} />
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

/** A line for each clause of a rule. */
function wordsOf(words: string | null, value: unknown): string[] {
  if (words !== null) return words.split("; ");
  return isUnset(value, "") ? [] : [OWN_RULE];
}

function Changed({ removed, added }: { removed: string[]; added: string[] }) {
  const shown = cutEqual(removed, added);
  return (
    <>
      {shown.isCutBefore && <span class="soft">…</span>}
      {shown.removed.length > 0 && <Lines sign="-" lines={shown.removed} />}
      {shown.added.length > 0 && <Lines sign="+" lines={shown.added} />}
      {shown.isCutAfter && <span class="soft">…</span>}
    </>
  );
}

function Lines({ sign, lines }: { sign: "-" | "+"; lines: readonly string[] }) {
  const text = lines
    .slice(0, MAX_LINES)
    .map((line) => `${sign} ${line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line}`)
    .join("\n");
  const rest = lines.length > MAX_LINES ? `\n${sign} … ${lines.length - MAX_LINES} more lines` : "";
  return sign === "-" ? <del>{visible(text + rest)}</del> : <ins>{visible(text + rest)}</ins>;
}

/**
 * A value as people read it: on or off for a state, texts as they are, a list as a line each, and likewise the members of a
 * simple object; anything else, and a payload, as JSON.
 */
function linesOf(value: unknown, field: string): string[] {
  if (isUnset(value, field)) return [];
  if (field !== "payload" && field !== "") {
    if (typeof value === "boolean") return [value ? "on" : "off"];
    if (typeof value === "string") return value.split("\n");
    if (Array.isArray(value) && value.every((each) => typeof each === "string")) return value;
    if (isObject(value) && Object.values(value).every((each) => !isStructure(each)))
      return Object.entries(value).map(([name, each]) => `${name}: ${JSON.stringify(each)}`);
  }
  return JSON.stringify(valueInWords(field === "" ? null : field, value), null, 2).split("\n");
}

/** Leaves out the lines that both begin and end with, but a few around what differs. */
function cutEqual(removed: string[], added: string[]) {
  const most = Math.min(removed.length, added.length);
  let start = 0;
  while (start < most && removed[start] === added[start]) start += 1;
  let end = 0;
  while (end < most - start && removed.at(-1 - end) === added.at(-1 - end)) end += 1;
  const [from, off] = [Math.max(0, start - AROUND), Math.max(0, end - AROUND)];
  const cut = (lines: string[]) => lines.slice(from, lines.length - off);
  return { removed: cut(removed), added: cut(added), isCutBefore: from > 0, isCutAfter: off > 0 };
}
