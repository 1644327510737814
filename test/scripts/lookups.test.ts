import { afterAll, beforeAll, expect, test } from "bun:test";
import { SymbolFlags, type Type, TypeFlags } from "typescript/unstable/async";
import {
  type Expression,
  type Node,
  type SourceFile,
  SyntaxKind,
  isBinaryExpression,
  isElementAccessExpression,
  isFunctionLikeDeclaration,
  isIdentifier,
  isObjectLiteralExpression,
  isSpreadAssignment,
  isVariableDeclaration,
} from "typescript/unstable/ast";
import { type Source, lineOf, openSource, textOf } from "../support/source.ts";

/**
 * A plain object inherits `constructor`, `toString`, `__proto__` and more, so a lookup by text from elsewhere finds what
 * nobody put there. This test reads the source with its types, and refuses `TABLE[text]` where the table is written in this
 * program and the text may be any, and `text in anything`. Use `own` of src/base/shapes/own.ts, `Object.hasOwn` or a Map.
 */

const TABLE: Readonly<Record<string, boolean>> = { archive: true, restore: false };
type Name = "archive" | "restore";

/** What is to be found in this file, and what is not. */
export const WRONG = [
  (text: string) => TABLE[text],
  (text: string) => ({ k: 1, m: 2 } as Record<string, number>)[text],
  (text: string) => TABLE[text as Name],
  (text: string) => text in TABLE,
];
export const RIGHT = [
  (text: string) => (Object.hasOwn(TABLE, text) ? TABLE[text] : undefined),
  (name: Name) => TABLE[name],
  (value: object) => "archive" in value,
  (at: number) => ["a", "b"][at],
  (data: Record<string, unknown>) => Object.keys(data).map((name) => data[name]),
];

let source: Source;
beforeAll(async () => {
  source = await openSource();
}, 60_000);
afterAll(() => source.close());

/** Inside brackets, `as`, `satisfies` and `!`. */
function inner(node: Expression): Expression {
  const wraps = [
    SyntaxKind.ParenthesizedExpression,
    SyntaxKind.AsExpression,
    SyntaxKind.SatisfiesExpression,
    SyntaxKind.NonNullExpression,
  ];
  return wraps.includes(node.kind)
    ? inner((node as Expression & { expression: Expression }).expression)
    : node;
}

type Lookup = { node: Node; table: Expression; key: Expression; isIn: boolean; within: Node };

function lookupsIn(file: SourceFile): Lookup[] {
  const found: Lookup[] = [];
  const search = (node: Node, around: Node) => {
    const within = isFunctionLikeDeclaration(node) ? node : around;
    if (isElementAccessExpression(node)) {
      const [table, key] = [inner(node.expression), inner(node.argumentExpression)];
      found.push({ node, table, key, isIn: false, within });
    } else if (isBinaryExpression(node) && node.operatorToken.kind === SyntaxKind.InKeyword)
      found.push({ node, table: node.right, key: inner(node.left), isIn: true, within });
    node.forEachChild((child) => search(child, within));
  };
  search(file, file);
  return found;
}

/** Whether a table is written out: here, or as a constant anywhere. */
async function isWritten(table: Expression): Promise<boolean> {
  if (isObjectLiteralExpression(table)) return true;
  if (!isIdentifier(table)) return false;
  const { checker } = source.project;
  let symbol = await checker.getSymbolAtLocation(table);
  if (symbol && (symbol.flags & SymbolFlags.Alias) !== 0) symbol = await checker.getAliasedSymbol(symbol);
  const declared = await symbol?.valueDeclaration?.resolve(source.project);
  if (declared === undefined || !isVariableDeclaration(declared) || !declared.initializer) return false;
  const value = inner(declared.initializer);
  // One that is spread alone, or empty, is filled elsewhere.
  return isObjectLiteralExpression(value) && value.properties.some((each) => !isSpreadAssignment(each));
}

const isAnyText = (type: Type | undefined) => type !== undefined && (type.flags & TypeFlags.String) !== 0;

/** The lookups of a file that are refused, as `path:line text`. */
async function faultsOf(path: string, file: SourceFile): Promise<string[]> {
  const lookups = lookupsIn(file);
  if (lookups.length === 0) return [];
  const types = await source.project.checker.getTypeAtLocation(lookups.map(({ key }) => key));
  const faults: string[] = [];
  for (const [index, { node, table, key, isIn, within }] of lookups.entries()) {
    if (!isAnyText(types[index])) continue;
    const guard = `hasOwn(${textOf(table, file)}, ${textOf(key, file)})`;
    if (textOf(within, file).replaceAll(/\s+/g, " ").includes(guard)) continue;
    if (isIn || (await isWritten(table))) faults.push(`${path}:${lineOf(node, file)} ${textOf(node, file)}`);
  }
  return faults;
}

test("no object of the program is looked up by a text that may be any", async () => {
  const faults: string[] = [];
  for (const [path, file] of await source.files(/^(?:src|cli)\//))
    faults.push(...(await faultsOf(path, file)));
  expect(faults).toEqual([]);
}, 60_000);

test("such a lookup is found, whatever its type says, and one with a guard is not", async () => {
  const [[path, file]] = [...(await source.files(/^test\/scripts\/lookups\.test\.ts$/))] as [
    [string, SourceFile],
  ];
  const faults = await faultsOf(path, file);
  expect(faults.map((each) => each.replace(/^\S+ /, ""))).toEqual([
    "TABLE[text]",
    "({ k: 1, m: 2 } as Record<string, number>)[text]",
    "TABLE[text as Name]",
    "text in TABLE",
  ]);
});
