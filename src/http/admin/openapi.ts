import { capital } from "../../base/shapes/words.ts";
import * as z from "zod/mini";
import type { Scope } from "../../access/scope.ts";
import { MAX_WHY } from "../../access/why.ts";
import { proposalSchema } from "../../documents/changes/proposal-schema.ts";
import { NOUNS } from "../../operations/all.ts";
import { ADMIN_PATH, type Operation, type Schemas } from "../../operations/operation.ts";
import { errorSchema } from "../../operations/schema/shared-schema.ts";
import { BYPASS, CONFIRM, PROPOSE, WHY } from "../auth.ts";
import { JSON_LINES, successOf } from "./routes.ts";

type Json = Record<string, unknown>;

/** An operation with its id: its noun and its name, such as `flagsGet`. */
type Described = { id: string; operation: Operation; schemas: Schemas };

const FAILURES = {
  BadRequest: [400, "The request is not valid."],
  Unauthenticated: [401, "The token is missing, unknown, revoked or expired."],
  Forbidden: [403, "The token lacks the scope, or is limited to another project or environment."],
  NotFound: [404, "Something named does not exist."],
  Conflict: [409, "It exists already, is ambiguous, or is not at the revision that If-Match names."],
  TooLarge: [413, "The body is too large."],
  Unsupported: [415, "The Content-Type of the body is not application/json, or the body is compressed."],
  Unconfirmed: [
    428,
    "An environment that would change needs approvals, or is locked, or a change of a form deletes submissions, and X-Confirm does not name it.",
  ],
  RateLimited: [429, "Too many wrong tokens came from this address: wait as long as Retry-After says."],
  Internal: [500, "A bug in formflag."],
  Unavailable: [503, "The database is locked or its disk is full: try again."],
} as const;

const header = (name: string, description: string) => ({
  name,
  in: "header",
  description,
  schema: { type: "string" },
});

const PARAMETERS = {
  ConfirmForm: header(
    CONFIRM,
    "The slug of the form, or `*`: confirms that submissions are kept for less than a day, or for a shorter time than some are stored already.",
  ),
  ConfirmEnvironments: header(
    CONFIRM,
    "The environments to change although they are locked, with commas, or `*`. The token needs the scope `flags:locked`.",
  ),
  Why: header(
    WHY,
    `Why the change is made, for the history: UTF-8 in percent-encoding, at most ${MAX_WHY} characters.`,
  ),
  Propose: header(
    PROPOSE,
    "Proposes the change, for a time from 1s to 90d such as `14d`, in place of making it: the answer is 202 with the change.",
  ),
  Bypass: header(
    BYPASS,
    `\`true\` makes the change without the approvals that it needs: with the scope \`admin\`, and ${WHY}.`,
  ),
};

/** Scopes whose operations may change an environment. */
const CHANGES: ReadonlySet<Scope | null> = new Set(["flags:write", "admin"] as const);

/** Formats of texts that other languages know too, so that a pattern says nothing more. */
const FORMATS: ReadonlySet<unknown> = new Set(["date-time", "email", "ipv4", "ipv6", "uri", "uuid"]);

const refTo = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });

/** The description of the admin API in OpenAPI 3.1, made from its operations and their schemas. */
export async function describeApi(version: string, basePath: string): Promise<Json> {
  const all = await Promise.all(
    Object.entries(NOUNS).flatMap(([noun, operations]) =>
      Object.entries<Operation>(operations).map(async ([name, operation]): Promise<Described> => ({
        id: noun + capital(name),
        operation,
        schemas: await operation.schemas(),
      })),
    ),
  );
  const names = namesOf(await recordSchemas(), all);
  const paths: Record<string, Json> = {};
  for (const each of all) {
    const { operation } = each;
    const path = (ADMIN_PATH + operation.path).replaceAll(/:(\w+)/g, "{$1}");
    paths[path] = {
      ...paths[path],
      [operation.method.toLowerCase()]: describe(each, (schema) => refTo("schemas", names.get(schema)!.id)),
    };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "formflag admin API",
      version,
      description: "Manages projects, environments, flags, forms, targets, submissions, tokens and users.",
    },
    servers: [{ url: basePath || "/" }],
    security: [{ token: [] }],
    tags: [...new Set(all.map(({ operation }) => operation.tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      parameters: PARAMETERS,
      responses: Object.fromEntries(
        Object.entries(FAILURES).map(([name, [, description]]) => [
          name,
          { description, content: jsonOf(refTo("schemas", "Error")) },
        ]),
      ),
      schemas: schemasOf(names),
    },
  };
}

/** The schemas of records, by their names in code without `Schema`. */
async function recordSchemas(): Promise<Record<string, unknown>[]> {
  return Promise.all([
    import("../../access/token-schema.ts"),
    import("../../access/user-schema.ts"),
    import("../../access/members/member-schema.ts"),
    import("../../delivery/delivery-schema.ts"),
    import("../../delivery/target-schema.ts"),
    import("../../documents/document-schema.ts"),
    import("../../documents/changes/proposal-schema.ts"),
    import("../../experiments/experiment-schema.ts"),
    import("../../flags/code/code-reference-schema.ts"),
    import("../../flags/flag-schema.ts"),
    import("../../flags/previews/feedback-schema.ts"),
    import("../../flags/ramps/ramp-schema.ts"),
    import("../../flags/schedule/schedule-schema.ts"),
    import("../../flags/segment-schema.ts"),
    import("../../forms/feeds/feed-schema.ts"),
    import("../../forms/form-schema.ts"),
    import("../../forms/inbox/timeline-schema.ts"),
    import("../../forms/settings/settings-schema.ts"),
    import("../../forms/submission-schema.ts"),
    import("../../maintenance/stats-schema.ts"),
    import("../../maintenance/status-schema.ts"),
    import("../../projects/environment-schema.ts"),
    import("../../projects/history-schema.ts"),
    import("../../projects/project-schema.ts"),
  ]);
}

/** Names of records that say nothing without their area, or are words of programming languages. */
const RENAMED = new Map([
  ["Attempt", "DeliveryAttempt"],
  ["Change", "HistoryEntry"],
  ["File", "SubmissionFile"],
  ["For", "FlagForAWhile"],
  ["Link", "SignInLink"],
  ["Metadata", "SubmissionMetadata"],
  ["NewLink", "NewSignInLink"],
  ["PlacedChange", "PlacedHistoryEntry"],
  ["Results", "ExperimentResults"],
  ["Settings", "ProjectSettings"],
  ["Upload", "CodeReferencesUpload"],
  ["Uploaded", "CodeReferencesUploaded"],
  ["Usage", "ProjectUsage"],
]);

type Names = ReturnType<typeof z.registry<{ id: string }>>;

/** The names of schemas: those of records, and for others that of their operation, such as `FlagsPromoteResult`. */
function namesOf(modules: readonly Record<string, unknown>[], operations: readonly Described[]): Names {
  const names: Names = z.registry<{ id: string }>();
  const add = (schema: z.ZodMiniType | undefined, id: string) => {
    if (schema && !names.has(schema)) names.add(schema, { id });
  };
  add(errorSchema, "Error");
  for (const [name, schema] of modules.flatMap((each) => Object.entries(each))) {
    const own = capital(name.slice(0, -"Schema".length));
    if (name.endsWith("Schema") && typeof schema === "object")
      add(schema as z.ZodMiniType, RENAMED.get(own) ?? own);
  }
  for (const { id, schemas } of operations) {
    const own = capital(id);
    add(schemas.body ?? schemas.upload, `${own}Body`);
    add(schemas.lines, `${own}Line`);
    add(schemas.output, `${own}Result`);
  }
  add(changeSchema, "ProposedChange");
  return names;
}

/** The answer to a change that is proposed. */
const changeSchema = z.object({ change: proposalSchema });

/** As clients send them and may read them: an answer may have more members than it has now. */
const OPTIONS = {
  io: "input",
  unrepresentable: "any",
  uri: (id: string) => `#/components/schemas/${id}`,
  override: ({ jsonSchema }: { jsonSchema: Json }) => {
    if (FORMATS.has(jsonSchema["format"])) delete jsonSchema["pattern"];
    // The names of JSON are texts anyway.
    if (Bun.deepEquals(jsonSchema["propertyNames"], { type: "string" })) delete jsonSchema["propertyNames"];
  },
} as const;

function schemasOf(names: Names): Record<string, unknown> {
  const { schemas } = z.toJSONSchema(names, OPTIONS);
  return Object.fromEntries(
    Object.entries(schemas).map(([id, schema]) => {
      const { $schema: _, $id: __, ...rest } = schema;
      return [id, rest];
    }),
  );
}

function jsonOf(schema: unknown) {
  return { "application/json": { schema } };
}

function describe({ id, operation, schemas }: Described, refOf: (schema: z.ZodMiniType) => unknown): Json {
  const { tag, summary, scope, path, isOpen = false, media = [] } = operation;
  const changes = scope !== null && CHANGES.has(scope) && tag !== "tokens";
  const { confirms = changes, explains = changes, mayLackBody = false } = operation;
  const { query, body, upload, lines, output } = schemas;
  const json = body ?? upload;
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const parameters = [
    ...inPath,
    ...(query ? queryParameters(query) : []),
    ...(confirms ? [refTo("parameters", confirms === "form" ? "ConfirmForm" : "ConfirmEnvironments")] : []),
    ...(explains ? [refTo("parameters", "Why")] : []),
    ...(operation.proposes ? [refTo("parameters", "Propose"), refTo("parameters", "Bypass")] : []),
  ];
  const content = {
    ...(output && jsonOf(refOf(output))),
    ...Object.fromEntries(media.map((type) => [type, {}])),
  };
  const sent = json ? jsonOf(refOf(json)) : lines && { [JSON_LINES]: { schema: refOf(lines) } };
  const success = { description: summary, ...(Object.keys(content).length > 0 && { content }) };
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: needsOf(operation),
    ...(isOpen && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(sent && { requestBody: { required: !mayLackBody, content: sent } }),
    responses: {
      [successOf(operation, schemas)]: success,
      ...(operation.proposes && {
        202: { description: `Proposed, with ${PROPOSE}`, content: jsonOf(refOf(changeSchema)) },
      }),
      ...Object.fromEntries(
        Object.entries(FAILURES).map(([name, [status]]) => [status, refTo("responses", name)]),
      ),
    },
  };
}

function needsOf({ isOpen, scope, other }: Operation): string {
  if (isOpen === true) return "Needs no token.";
  if (scope === null) return "Needs a token with any scope.";
  return `Needs the scope \`${scope}\`${other === undefined ? "" : `, or for notices of a project \`${other}\``}.`;
}

/** The parameters of a query, each with its own schema and description. */
function queryParameters(query: z.ZodMiniType): Json[] {
  const { properties = {}, required = [] } = z.toJSONSchema(query, OPTIONS);
  return Object.entries(properties).map(([name, each]) => {
    const { description, ...schema } = each as Json;
    return {
      name,
      in: "query",
      ...(description !== undefined && { description }),
      ...(required.includes(name) && { required: true }),
      schema,
    };
  });
}
