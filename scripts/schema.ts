import { documentJsonSchema } from "../src/documents/document-schema.ts";
import { webhookJsonSchema } from "../src/forms/webhook-schema.ts";

// Writes the output of `formflag apply --schema`, and the schema of webhooks; a test fails while one is out of date.
for (const [name, schema] of [
  ["formflag", documentJsonSchema()],
  ["webhook", webhookJsonSchema()],
] as const) {
  await Bun.write(`docs/reference/${name}.schema.json`, `${JSON.stringify(schema, null, 2)}\n`);
}
