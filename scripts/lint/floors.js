/**
 * The floors of the house: what the files below a folder may import, of this repository and of libraries, besides their own
 * area. A file has what all rows say that fit its path. The rule `house/floors` holds them, for `import()` too.
 */
const BLOBS = ["src/blobs/blobs.ts", "src/blobs/key.ts", "src/blobs/notes.ts"];
const AREAS = [
  "src/base",
  "src/access",
  "src/delivery",
  "src/projects",
  "src/flags",
  "src/forms",
  "src/documents",
  "src/memberships",
  "src/experiments",
  "src/following",
  "src/maintenance",
  ...BLOBS,
];

export const FLOORS = [
  { area: "src/base", imports: [], libraries: ["zod"] },
  // Runs wherever an application runs: nothing of this repository, of a library or of a runtime.
  { area: "src/evaluator", imports: [], libraries: [] },
  // Providers of OpenFeature, which are published as a package and run wherever an application runs.
  {
    area: "src/provider",
    imports: ["src/evaluator"],
    libraries: ["@openfeature/server-sdk", "@openfeature/web-sdk"],
  },
  { area: "src/access", imports: ["src/base"], libraries: ["zod"] },
  { area: "src/access/factors", imports: [], libraries: ["@simplewebauthn/server", "reflect-metadata"] },
  { area: "src/blobs", imports: ["src/base"], libraries: ["aws4fetch"] },
  { area: "src/delivery", imports: ["src/base", "src/access"], libraries: ["mustache", "zod"] },
  { area: "src/projects", imports: ["src/base", "src/access", "src/delivery"], libraries: ["zod"] },
  {
    area: "src/flags",
    imports: ["src/base", "src/access", "src/delivery", "src/projects", "src/evaluator"],
    libraries: ["re2js", "xss", "zod"],
  },
  {
    area: "src/forms",
    imports: ["src/base", "src/access", "src/delivery", "src/projects", ...BLOBS],
    libraries: [
      "@cfworker/json-schema",
      "altcha-lib",
      "csv-parse",
      "hucre",
      "disposable-email-domains-js",
      "magic-bytes.js",
      "re2js",
      "zod",
    ],
  },
  {
    area: "src/documents",
    imports: [
      "src/base",
      "src/access",
      "src/delivery",
      "src/projects",
      "src/flags",
      "src/forms",
      "src/experiments",
    ],
    libraries: ["zod"],
  },
  {
    area: "src/memberships",
    imports: ["src/base", "src/access", "src/projects", "src/flags", "src/forms"],
    libraries: ["zod"],
  },
  {
    area: "src/experiments",
    imports: ["src/base", "src/access", "src/delivery", "src/projects", "src/flags", "src/forms"],
    libraries: ["zod"],
  },
  {
    area: "src/following",
    imports: ["src/base", "src/access", "src/projects", "src/flags", "src/experiments", "src/app.ts"],
    libraries: [],
  },
  {
    area: "src/maintenance",
    imports: AREAS.filter((area) => !["documents", "following", "memberships"].includes(area.slice(4))),
    libraries: ["modern-tar", "zod"],
  },
  {
    area: "src/maintenance/encryption",
    imports: [],
    libraries: ["@noble/ciphers", "@noble/curves", "age-encryption"],
  },
  // The storage, and checks of it with a server's own drivers.
  { area: "src/storage.ts", imports: ["src/blobs", "src/store"], libraries: [] },
  {
    area: "src/maintenance/doctor",
    imports: ["src/blobs", "src/http", "src/send", "src/storage.ts", "src/store"],
    libraries: [],
  },
  { area: "src/docs", imports: [], libraries: [] },
  { area: "src/app.ts", imports: AREAS, libraries: [] },
  { area: "src/operations", imports: [...AREAS, "src/app.ts"], libraries: ["zod"] },
  { area: "src/store", imports: [...AREAS, "src/app.ts"], libraries: [] },
  { area: "src/store/sqlite", imports: [], libraries: ["bun:sqlite"] },
  { area: "src/store/postgres", imports: [], libraries: ["bun"] },
  {
    area: "src/send",
    imports: ["src/base", "src/access", "src/delivery"],
    libraries: [
      "@peculiar/x509",
      "acme-client",
      "aws4fetch",
      "jose",
      "nodemailer",
      "openid-client",
      "reflect-metadata",
    ],
  },
  {
    area: "src/http",
    imports: [...AREAS, "src/app.ts", "src/docs", "src/operations"],
    libraries: ["altcha", "hono", "idiomorph", "jsonc-parser", "lucide-static", "prom-client", "uqr", "zod"],
  },
  // Tools for assistants, on the operations alone.
  {
    area: "src/mcp",
    imports: ["src/base", "src/access", "src/flags", "src/forms", "src/operations"],
    libraries: ["@modelcontextprotocol/server"],
  },
  { area: "src/http/mcp", imports: ["src/mcp"], libraries: ["@modelcontextprotocol/server"] },
  { area: "src/http/forms/altcha", imports: ["node_modules/altcha"], libraries: [] },
  {
    area: "cli",
    imports: ["src", "package.json"],
    libraries: ["@clack/prompts", "bun:ffi", "commander", "js-yaml", "uqr"],
  },
];

/** Schemas are loaded only if they are used to check or describe: elsewhere only their types. */
export const LOADS_SCHEMAS = /^(?:cli|src\/http|src\/operations)\/|-schema\.ts$/;
