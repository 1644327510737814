/** Lint rules of this project that no published plugin has: docs/explanation/architecture.md. */
import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { FLOORS, LOADS_SCHEMAS } from "./floors.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const isIn = (path, folder) => path === folder || path.startsWith(`${folder}/`);

const floors = {
  create(context) {
    const path = relative(ROOT, context.filename);
    const rows = FLOORS.filter(({ area }) => isIn(path, area));
    const imports = rows.flatMap((row) => [row.area, ...row.imports]);
    const libraries = rows.flatMap((row) => row.libraries);
    const table = "scripts/lint/floors.js";
    const check = ({ source, importKind, specifiers = [] }) => {
      if (typeof source?.value !== "string" || source.value.startsWith("node:")) return;
      const report = (message) => context.report({ node: source, message });
      const isTypes =
        importKind === "type" ||
        (specifiers.length > 0 && specifiers.every((specifier) => specifier.importKind === "type"));
      if (/^zod|-schema\.ts$/.test(source.value) && !isTypes && !LOADS_SCHEMAS.test(path))
        report("Schemas are loaded by HTTP alone: elsewhere only their types.");
      if (source.value.startsWith(".")) {
        const target = relative(ROOT, resolve(dirname(context.filename), source.value));
        if (!imports.some((folder) => isIn(target, folder)))
          report(`${table}: this area does not import that one.`);
      } else if (!libraries.some((library) => isIn(source.value, library)))
        report(`${table}: this area does not use that library.`);
    };
    return {
      Program: (node) =>
        rows.length === 0 && context.report({ node, message: `${table} has no row for it.` }),
      ImportDeclaration: check,
      ImportExpression: check,
      ExportAllDeclaration: check,
      ExportNamedDeclaration: check,
    };
  },
};

const noOptionText = {
  create: (context) => {
    const check = (node, text) => {
      if (/(^|[\s'"`(])--[a-z]{2,}/.test(text))
        context.report({
          node,
          message: "The product names no command-line option: give the error a reason.",
        });
    };
    return {
      Literal: (node) => typeof node.value === "string" && check(node, node.value),
      TemplateElement: (node) => check(node, node.value.cooked ?? ""),
    };
  },
};

/** Modules that open connections. `node:net` is allowed for its address functions. */
const CONNECTING = /^(?:(?:node:)?(?:http|https|http2|tls|dgram|dns)(?:\/|$)|nodemailer(?:\/|$))/;
const CONNECTS = new Set(["connect", "createConnection", "Socket"]);
/** Members of `Bun` that open connections. One file of the driver connects to the database. */
const CONNECTS_OF_BUN = new Set([
  "connect",
  "udpSocket",
  "SQL",
  "sql",
  "S3Client",
  "s3",
  "RedisClient",
  "redis",
]);

const noConnection = {
  create: (context) => {
    const message = "Outgoing connections are made in src/send.";
    const check = (node, source) => {
      if (typeof source.value === "string" && CONNECTING.test(source.value))
        context.report({ node, message });
    };
    return {
      ImportDeclaration(node) {
        check(node, node.source);
        const isBun = node.source.value === "bun";
        if (isBun && node.specifiers.some(({ imported }) => CONNECTS_OF_BUN.has(imported?.name)))
          context.report({ node, message });
        if (!/^(?:node:)?net$/.test(node.source.value)) return;
        const names = node.specifiers.map(({ imported }) => imported?.name);
        // A default or a namespace import has no name, and brings everything.
        if (names.some((name) => name === undefined || CONNECTS.has(name))) context.report({ node, message });
      },
      ImportExpression: (node) => check(node, node.source),
      MemberExpression(node) {
        if (node.object.name === "Bun" && CONNECTS_OF_BUN.has(node.property.name))
          context.report({ node, message });
      },
    };
  },
};

/** Members that read a clock, wait or are random, by their object; `globalThis` stands for names without one. */
const TIME_AND_CHANCE = new Map(
  Object.entries({
    Date: /^now$/,
    performance: /^now$/,
    Bun: /^(?:sleep|randomUUIDv[57]|nanoseconds)$/,
    Math: /^random$/,
    crypto: /^(?:random\w*|getRandomValues)$/,
    process: /^hrtime$/,
    globalThis: /^(?:setTimeout|setInterval|setImmediate)$/,
  }),
);
const IMPORTED = /^(?:node:)?(?:timers|timers\/promises|perf_hooks)$/;

const oneClock = {
  create(context) {
    const report = (node) =>
      context.report({ node, message: "Time and chance come from the clock of src/base/clock.ts." });
    return {
      MemberExpression(node) {
        if (TIME_AND_CHANCE.get(node.object.name)?.test(node.property.name)) report(node);
      },
      CallExpression(node) {
        if (TIME_AND_CHANCE.get("globalThis").test(node.callee.name ?? "")) report(node);
      },
      NewExpression(node) {
        if (node.callee.name === "Date" && node.arguments.length === 0) report(node);
      },
      ImportDeclaration(node) {
        const isRandom = ({ imported }) => TIME_AND_CHANCE.get("crypto").test(imported?.name ?? "");
        const isCrypto = /^(?:node:)?crypto$/.test(node.source.value);
        if (IMPORTED.test(node.source.value) || (isCrypto && node.specifiers.some(isRandom))) report(node);
      },
    };
  },
};

/** Methods that take quadratic time for marks on one character, each with the file that bounds it. */
const QUADRATIC = new Map([
  ["normalize", "src/base/normalize.ts"],
  ["domainToASCII", "src/base/address-spelling.ts"],
  ["domainToUnicode", "src/base/address-spelling.ts"],
]);

const boundedText = {
  create(context) {
    const path = relative(ROOT, context.filename);
    return {
      CallExpression(node) {
        const bounds = QUADRATIC.get(node.callee.property?.name);
        if (bounds === undefined || bounds === path) return;
        const message = `Its time grows with the square of the marks in a text: use ${bounds}.`;
        context.report({ node, message });
      },
    };
  },
};

/** Addresses of the admin API, and the collections in them where only a command could mean them. */
const API_PATH = /\/api\/admin\//;
const COLLECTION =
  /^\/(?:projects|forms|targets|submissions|deliveries|tokens|users|sessions|export|apply|stats|mail)(?:[/?]|$)/;

const noApiPath = {
  create(context) {
    const isCommand = isIn(relative(ROOT, context.filename), "cli");
    const check = (node, text) => {
      if (API_PATH.test(text) || (isCommand && COLLECTION.test(text)))
        context.report({ node, message: "Addresses of the admin API are those of its operations." });
    };
    return {
      Literal: (node) => typeof node.value === "string" && check(node, node.value),
      TemplateElement: (node) => check(node, node.value.cooked ?? ""),
    };
  },
};

const noRawMarkup = {
  create: (context) => {
    const report = (node, message) => context.report({ node, message });
    return {
      JSXAttribute({ name }) {
        if (name.name === "style")
          report(name, "The policy of the pages forbids styles in markup: use a class.");
        if (name.name === "dangerouslySetInnerHTML") report(name, "Markup is written in JSX, which escapes.");
      },
      ImportDeclaration({ source, specifiers }) {
        const isRaw = specifiers.some(({ imported }) => imported?.name === "raw");
        if (/^hono\/html$|\/markup\.ts$/.test(source.value) && isRaw)
          report(source, "Markup is written in JSX, which escapes.");
      },
    };
  },
};

/** Clauses in place of a noun, and prepositions, at the start of a comment. */
const CLAUSE =
  /^[\s*]*(?:(?:What|Whoever|Those|Who) |Of the |Behind |Unless told|By whose|Where (?:a|an|the) )/;

const words = {
  create: (context) => ({
    Program: () => {
      for (const node of context.sourceCode.getAllComments()) {
        const report = (message) => context.report({ node, message });
        if (CLAUSE.test(node.value)) report("A comment names its subject with a noun, not a clause.");
        if (/\b(?:some|no)body\b/i.test(node.value)) report("Say who: user, client, reader, or nothing.");
      }
    },
  }),
};

// The linter loads a plugin by its default export.
// oxlint-disable-next-line import/no-default-export
export default {
  meta: { name: "house" },
  rules: {
    floors,
    "no-option-text": noOptionText,
    "no-connection": noConnection,
    "no-raw-markup": noRawMarkup,
    "no-api-path": noApiPath,
    "one-clock": oneClock,
    "bounded-text": boundedText,
    words,
  },
};
