import type { Difference } from "../../src/documents/document.ts";
import { printDocument } from "../commands/documents/document-file.ts";
import { printableLines, shown } from "./text.ts";

const SIGNS = { create: "+", update: "~", delete: "-" } as const;
const COLORS = { "+": 32, "~": 33, "-": 31 } as const;

/** Differences for a person, a few lines each: what is there as `-`, what is to be as `+`. */
export function showDifferences(differences: Difference[], hasColors: boolean): string {
  const lines = differences.flatMap(linesOf);
  return lines
    .map((line) => {
      const sign = line.trimStart()[0] as keyof typeof COLORS;
      return hasColors ? `\x1b[${COLORS[sign]}m${line}\x1b[39m\n` : `${line}\n`;
    })
    .join("");
}

/** `2 to create, 1 to update`; or with what was done to them: `2 created, 1 updated`. */
export function countDifferences(differences: Difference[], isDone: boolean): string {
  if (differences.length === 0) return "unchanged";
  return (["create", "update", "delete"] as const)
    .map((action) => [differences.filter((each) => each.action === action).length, action] as const)
    .filter(([count]) => count > 0)
    .map(([count, action]) => (isDone ? `${count} ${action}d` : `${count} to ${action}`))
    .join(", ");
}

function linesOf({ action, path, before, after }: Difference): string[] {
  const head = shown`${SIGNS[action]} ${path}`;
  if (action === "delete") return [head];
  if (action === "create") return [head, ...block("+", after)];
  if (!isObject(before) || !isObject(after)) return [head, ...block("-", before), ...block("+", after)];
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return [
    head,
    ...fields.flatMap((field) => {
      if (Bun.deepEquals(before[field], after[field], true)) return [];
      return [
        ...(Object.hasOwn(before, field) ? block("-", { [field]: before[field] }) : []),
        ...(Object.hasOwn(after, field) ? block("+", { [field]: after[field] }) : []),
      ];
    }),
  ];
}

function block(sign: "+" | "-", value: unknown): string[] {
  const text = printableLines(printDocument(value, "yaml").trimEnd());
  return text.split("\n").map((line) => `    ${sign} ${line}`);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
