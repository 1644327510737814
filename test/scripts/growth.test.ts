import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  type Node,
  type SourceFile,
  SyntaxKind,
  isCallExpression,
  isForOfStatement,
  isFunctionDeclaration,
  isIdentifier,
  isPropertyAccessExpression,
  isRegularExpressionLiteral,
  isVariableDeclaration,
} from "typescript/unstable/ast";
import { type Source, openSource } from "../support/source.ts";

/**
 * Functions that go through what a caller sends and come back to themselves, with the bound of their work. Each part of the
 * input has to be visited once, or the repeats have to be counted: one more visit at each level is twice the time at each.
 */
const WALKERS: ReadonlyMap<string, string> = new Map([
  ["src/base/json.ts: depthOf take", "once each; stops below the level that is asked for"],
  ["src/base/json/json-turns.ts: stringifyMembers stringifyLarge", "once each, in turns with other work"],
  ["src/delivery/template.ts: check read", "once each, of a template of 10,000 characters"],
  ["src/delivery/text.ts: putValue", "once each, of a submission of 16 levels"],
  ["src/documents/changes/planning.ts: inOrder", "once each, of a body within BODY_LIMITS"],
  ["src/evaluator/rule.ts: compile segment", "once each, a segment once for all rules"],
  ["src/evaluator/steps.ts: lengthOf", "MAX_CHARACTERS of a value"],
  ["src/experiments/sent-assignments.ts: findIn", "MAX_ASSIGNMENTS texts of a submission"],
  ["src/flags/flagd/check.ts: sizeOf", "once each, of RULE_LIMITS"],
  ["src/flags/flagd/definition.ts: visit", "a segment once, by the set of those visited"],
  ["src/flags/flagd/nested-segments.ts: heightOf replace", "heights are kept; RULE_LIMITS.nodes of a rule"],
  ["src/flags/flagd/results.ts: resultsOf within isCondition", "once each, of RULE_LIMITS"],
  ["src/flags/importers/flagsmith-segments.ts: nestedRule", "a command; once each, MAX_NESTED deep"],
  ["src/flags/importers/goff-query.ts: joined operand", "a command; once each, MAX_NESTED deep"],
  ["src/flags/importers/goff.ts: withKey", "a command; once each"],
  [
    "src/flags/importers/growthbook-conditions.ts: conditionRule each any groupRule valueRule operatorRule elementRule",
    "a command; repeats of groups spend the budget",
  ],
  ["src/flags/importers/growthbook.ts: chainOf parentsOf", "a command; repeats of features spend the budget"],
  ["src/flags/importers/launchdarkly-clauses.ts: noteAll", "a command; once each"],
  ["src/flags/promotions.ts: addReferences", "a segment once, by the set of those needed"],
  ["src/flags/requires/graph.ts: follow", "the limit of flags that need one another"],
  [
    "src/flags/requires/inlined.ts: conditionsOf findConditions fulfilled plainFulfilled ruledFulfilled bind",
    "the limits of flags that need one another, and of a rule",
  ],
  ["src/flags/requires/prerequisites.ts: missingOf isFulfilled", "the limit of flags that need one another"],
  [
    "src/flags/rules/condition-words.ts: withStrictTexts print printNegated printJoined",
    "once each, of RULE_LIMITS",
  ],
  ["src/flags/rules/context.ts: checkValue", "once each, of a context within its limits"],
  ["src/flags/rules/difference-words.ts: valueInWords withWords", "two levels: a flag and its environments"],
  ["src/flags/rules/served.ts: resultsOf", "once each result of a rule, which has a limit of depth"],
  [
    "src/flags/rules/shares.ts: splittingAttributes attributesIn",
    "operands of a split once more a level, of RULE_LIMITS",
  ],
  ["src/forms/inbox/title.ts: lineOf", "once each, ten values of a list, of a submission of 16 levels"],
  ["src/http/dashboard/docs/content.tsx: all shown textIn", "the pages of this program"],
  ["src/maintenance/numbers.ts: count", "once for each of MAX_NUMBERS_DAYS"],
  ["src/operations/schema/check.ts: lostName", "once each, of a body within BODY_LIMITS"],
  ["src/forms/form-stats.ts: isFilled", "once each, of 200 submissions of 256 KB together"],
  ["src/forms/inbox/search-text.ts: textsIn", "once each, of a submission of 16 levels"],
  ["src/forms/intake/control-fields.ts: isFilled", "once each, of a submission of 16 levels"],
  ["src/forms/intake/fields.ts: checkTexts", "once each, of a submission of 16 levels"],
  [
    "src/forms/keeping/purge-match.ts: parseWithSources collectTexts collectValues",
    "once each, of a stored submission",
  ],
  ["src/forms/settings/settings.ts: withNext", "the settings of this program"],
  ["src/forms/spam/spam.ts: collect", "once each, of a submission of 16 levels"],
  ["src/forms/spam/wildcards.ts: createTree", "the words of a form, within their limits"],
  ["src/forms/validation/budget.ts: spendOnLists sizeOf", "counts steps, and stops"],
  ["src/forms/validation/findings.ts: findingsOf branchFindings", "errors of a validation, within its steps"],
  [
    "src/forms/validation/prepared.ts: build buildMap referenceTo addPatternSite",
    "a schema once, kept by its place",
  ],
  [
    "src/forms/validation/references.ts: add extentOf checkAcceptsObjects",
    "extents are kept; MAX_VISITS of a schema",
  ],
  [
    "src/forms/validation/text.ts: typesOf typesFor",
    "lists of lists, as deep as the text has them: one level",
  ],
  [
    "src/forms/validation/validation.ts: checkUnicode safeCopy",
    "once each, of a schema or submission within its limits",
  ],
  ["src/http/dashboard/markup.ts: rendered textOf", "the markup of a page"],
  [
    "src/http/dashboard/submissions/content.tsx: Members memberOf membersLeft",
    "once each, up to the members that are shown",
  ],
  ["src/mcp/text.ts: walk", "once each, of a submission of 16 levels"],
  [
    "src/operations/schema/shape.ts: parseAt holdsSection parseObject parseSection countValues",
    "twice a level of the schemas of this program; BODY_LIMITS",
  ],
  ["src/store/postgres/batches.ts: refuseLate watchQueue send sendAll", "the queue of writes"],
  ["src/store/postgres/intake.ts: commitEach", "a batch, then its items"],
  ["src/store/queue.ts: sendEach", "items, then each of them"],
  ["src/store/sqlite/writer-queue.ts: trySend", "a batch, then what of it can be sent"],
]);

/**
 * Regular expressions that may take more than linear time where they do not match: they can begin anywhere, and repeat
 * something before something else. With the bound of the texts that they see.
 */
const EXPRESSIONS: ReadonlyMap<string, string> = new Map([
  [
    String.raw`src/base/json/exact-json.ts /(?:[:,[\s]|^)(?:-0|-?(?:\d[\d.]{15}|\d+\.\d*0(?!\d)|\d[\d.]*[eE]|0\.0{6}))/`,
    "begins behind a colon, comma, bracket or space alone",
  ],
  [
    String.raw`src/base/origins.ts /^(https?:\/\/)\*\.((?:localhost|[^*.:]+(?:\.[^*.:]+)+)(?::\d+)?)$/`,
    "2,048 characters, and apart by dots",
  ],
  [String.raw`src/base/origins.ts /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/`, "2,048 characters, and apart by dots"],
  [
    String.raw`src/flags/rules/condition-values.ts /\s*("[^"]*"|'[^']*'|[^,]*)\s*(,|$)/gs`,
    "8,192 characters of a condition",
  ],
  [
    String.raw`src/flags/contexts/test-context.ts /(?:"[^"]*"|'[^']*'|[^,])+/g`,
    "a context within its limits, as typed",
  ],
  [
    String.raw`src/delivery/address.ts /^[A-Za-z0-9#$&'*+/=?^_${"`"}{|}~-]+(?:\.[A-Za-z0-9#$&'*+/=?^_${"`"}{|}~-]+)*$/`,
    "64 characters before the @",
  ],
  [
    "src/docs/search.ts /`([^`]+)`|!?\\[((?:[^[\\]]|\\[[^\\]]*\\])*)\\]\\([^)]*\\)|<\\/?[a-z][^>]*>|<!--.*?-->|\\*+(?=\\S)|(?<=\\S)\\*+| +(?:\\| +)+/g",
    "a line of the documentation",
  ],
  [String.raw`src/delivery/target.ts /\/bot[^/]+\/sendMessage$/i`, "2,048 characters, and apart by slashes"],
  [String.raw`src/delivery/delivery.ts /#[^#]*$/`, "ends at the next #"],
  [String.raw`src/base/network.ts /%.*$/s`, "an address of 45 characters"],
  [String.raw`src/base/network.ts /\d+$/`, "an address of 45 characters"],
  [String.raw`src/flags/audience.ts /^[a-z][a-z\d]*(?:[-_][a-z\d]+)*$/`, "a slug"],
  [String.raw`src/forms/inbox/title.ts /(?<=\d)e(?=[+-]?\d+$)/i`, "MAX_READ characters of a field"],
  [
    String.raw`src/http/dashboard/assets.ts /("[^"]*")|\/\*.*?\*\/|\s*([{};,>])\s*|: |\s+/gs`,
    "the styles of this program",
  ],
  [String.raw`src/http/dashboard/flags/release-fields.tsx / [\d.]*%$/`, "a condition of a guard"],
  [String.raw`src/http/dashboard/submissions/content.tsx /\S\s+\S/`, "the name of a field"],
  [String.raw`src/base/kinds/kinds.ts /[:=]\s*(\d{1,9})\s*%?\s*$/`, "a line of shares, as typed"],
  [String.raw`src/blobs/s3/url.ts /^[\w.-]+(?:\/[\w.-]+)*$/`, "a setting of the server"],
  [String.raw`src/blobs/s3/url.ts /\/+$/`, "a setting of the server"],
  [String.raw`src/flags/rules/shares.ts /0+$/`, "four digits"],
  [
    String.raw`src/flags/previews/preview-html.ts /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<=>${"`"}]+)))?/g`,
    "64 KB of a preview, apart by characters that end a name",
  ],
  [
    String.raw`src/forms/validation/formats.ts /(?<![\t\n\f\r ])[\t\n\f\r ]+$/`,
    "begins at the first space of a run",
  ],
  [
    String.raw`src/provider/flags.ts /"\$ref":("(?:[^"\\]|\\.)*")/g`,
    "a rule as JSON, which has one end of a text for each beginning",
  ],
  [
    String.raw`src/evaluator/versions.ts /^v?(\d+\.\d+\.\d+)(?:-([^+]*))?(?:\+[\da-zA-Z-]+(?:\.[\da-zA-Z-]+)*)?$/`,
    "256 characters",
  ],
  [
    String.raw`src/documents/changes/proposed-differences.ts /\["(?:[^"\\]|\\.)*"\]|\[\d+\]|[^.[\]]+/g`,
    "a path that this program made",
  ],
  [String.raw`src/flags/code/code-references.ts /\/+$/`, "2,048 characters of a repository"],
  [String.raw`src/flags/code/refs.ts /[._-]+$/`, "a word of 160 characters"],
  [
    String.raw`src/flags/rules/condition-parser.ts /(?:and|or|&&|\|\|)\s+$/i`,
    "8,192 characters of a condition",
  ],
  [String.raw`src/forms/transfer/export-zip.ts /[. ]+$/`, "a short file name"],
  [String.raw`src/forms/transfer/import-csv.ts /"[^"]*(?:"|$)/g`, "ends at the next quote"],
  [
    String.raw`src/http/codings.ts /(?:^|,)\s*(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))[\d.]+\s*)?(?:,|$)/i`,
    "a header of 16 KB, apart by commas",
  ],
  [String.raw`src/http/forms/links.ts /\/+$/`, "a setting of the server"],
  [String.raw`src/http/dashboard/parts/icon.tsx /<svg[^>]*>(.*)<\/svg>/s`, "icons of this program"],
  [String.raw`src/http/dashboard/view.ts /\/flags\/[^/]+$/`, "ends at the next slash"],
  [
    String.raw`src/http/dashboard/parts/text.tsx /^[^@:/?#"<>\\]+@[a-z0-9-]+(\.[a-z0-9-]+)+$/i`,
    "2,000 characters",
  ],
  [String.raw`src/http/mcp/mcp.ts /(?:^|,)\s*\*\/\*\s*(?:[,;]|$)/`, "a header of 16 KB, apart by commas"],
  [String.raw`src/maintenance/doctor/checks.ts /^Max open files\s+(\d+)/m`, "a command, on its own machine"],
  [String.raw`src/maintenance/doctor/server.ts /\/+$/`, "a command, on its own machine"],
  [
    String.raw`src/maintenance/doctor/server.ts /^formflag_forwarded_ignored_total(?:\{.*\})? (\d+)/m`,
    "a command, on its own machine",
  ],
  [
    String.raw`src/store/postgres/translate.ts /(?<asis>'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*)/`,
    "statements of this program",
  ],
  [String.raw`src/store/postgres/translate.ts /(?<comment>\/\*[\s\S]*?\*\/)/`, "statements of this program"],
  [
    String.raw`src/store/postgres/translate.ts /\bjson_each\(\s*(?<list>\$\w+|'(?:[^']|'')*'|[\w.]+)\s*\)(?<alias>\s+(?:AS\s+)?(?!(?:WHERE|AS|ON|JOIN|LEFT|INNER|CROSS|ORDER|GROUP|LIMIT|UNION|EXCEPT|INTERSECT|HAVING|FOR|SET|RETURNING)\b)\w+)?/`,
    "statements of this program",
  ],
  [
    String.raw`src/store/postgres/translate.ts /\bunhex\(\s*(?<hex>\$?[\w.]+)\s*(?:,\s*'-'\s*)?\)/`,
    "statements of this program",
  ],
]);

let source: Source;
let files: Map<string, SourceFile>;
beforeAll(async () => {
  source = await openSource();
  files = await source.files(/^src\/(?!http\/dashboard\/browser\/|http\/flags\/script\/)/);
}, 60_000);
afterAll(() => source.close());

const ITERATING = new Set([
  "map",
  "flatMap",
  "every",
  "some",
  "filter",
  "entries",
  "values",
  "keys",
  "forEach",
]);

type Parts = { calls: Set<string>; iterates: boolean };

/** The functions of a file by name: what each mentions, and whether it goes through members. */
function functionsIn(file: SourceFile): Map<string, Parts> {
  const found = new Map<string, Parts>();
  const search = (node: Node, own: Parts | undefined) => {
    let within = own;
    const name = nameOf(node);
    if (name !== undefined) found.set(name, (within = { calls: new Set(), iterates: false }));
    if (within) {
      if (isIdentifier(node) && !isName(node)) within.calls.add(node.text);
      if (isForOfStatement(node)) within.iterates = true;
      if (isCallExpression(node) && isPropertyAccessExpression(node.expression))
        within.iterates ||= ITERATING.has(node.expression.name.text);
    }
    node.forEachChild((child) => search(child, within));
  };
  search(file, undefined);
  return found;
}

/** Whether an identifier names something, rather than mentions a function. */
function isName(node: Node): boolean {
  const named = node.parent as Node & { name?: Node };
  return named.name === node;
}

function nameOf(node: Node): string | undefined {
  if (isFunctionDeclaration(node)) return node.name?.text;
  const isFunction = node.kind === SyntaxKind.ArrowFunction || node.kind === SyntaxKind.FunctionExpression;
  const { parent } = node;
  return isFunction && isVariableDeclaration(parent) && isIdentifier(parent.name)
    ? parent.name.text
    : undefined;
}

/** The functions of a file that come back to themselves and go through members on the way. */
function walkersIn(file: SourceFile): string[] {
  const functions = functionsIn(file);
  const reached = (from: string) => {
    const seen = new Set<string>();
    const open = [from];
    for (let name = open.pop(); name !== undefined; name = open.pop())
      for (const next of functions.get(name)!.calls)
        if (functions.has(next) && !seen.has(next) && open.push(next)) seen.add(next);
    return seen;
  };
  const circles = new Map([...functions.keys()].map((name) => [name, reached(name)]));
  const inCircle = (name: string) => [...circles.get(name)!].filter((other) => circles.get(other)!.has(name));
  return [...functions.keys()].filter((name) => {
    const circle = inCircle(name);
    return circle.includes(name) && circle.some((each) => functions.get(each)!.iterates);
  });
}

test("every function that goes through a value of any depth is known, with its bound", () => {
  const found = [...files].flatMap(([path, file]) => {
    const walkers = walkersIn(file);
    return walkers.length === 0 ? [] : [`${path}: ${walkers.join(" ")}`];
  });
  expect(found.toSorted()).toEqual([...WALKERS.keys()].toSorted());
});

/** Whether an expression may try a repeat from each place of a text, or a repeat of a repeat. */
function mayGrow(literal: string): boolean {
  const end = literal.lastIndexOf("/");
  const flags = new Set(literal.slice(end + 1));
  if (flags.has("y")) return false;
  const plain = literal
    .slice(1, end)
    .replaceAll(/\\[pPu]\{[^}]*\}|\\./g, "a")
    .replaceAll(/\[\^?[^\]]*\]/g, "a");
  if (/\([^()]*[+*][^()]*\)(?:[+*]|\{\d+,\})/.test(plain)) return true;
  if (plain.startsWith("^") && !flags.has("m")) return false;
  return /(?:[+*]|\{\d+,\})\??(?=[^)|?])/.test(plain.replace(/\)+$/, ""));
}

test("every regular expression that may take more than linear time is known, with the bound of its texts", () => {
  const found = new Set<string>();
  for (const [path, file] of files) {
    const search = (node: Node) => {
      if (isRegularExpressionLiteral(node) && mayGrow(node.text)) found.add(`${path} ${node.text}`);
      node.forEachChild(search);
    };
    search(file);
  }
  expect([...found].toSorted()).toEqual([...EXPRESSIONS.keys()].toSorted());
});

test("an expression that begins anywhere and repeats before something else may grow, and one that is bound does not", () => {
  const growing = [String.raw`/\d+$/`, String.raw`/\s+x/`, String.raw`/^(?:a+)+$/`, String.raw`/[. ]+$/g`];
  const linear = [String.raw`/^\d+$/`, String.raw`/[^a-z]+/g`, String.raw`/\s+x/y`, String.raw`/-\d{1,6}$/`];
  expect([growing.map(mayGrow), linear.map(mayGrow)]).toEqual([
    growing.map(() => true),
    linear.map(() => false),
  ]);
});
