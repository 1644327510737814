import { test } from "bun:test";
import * as fc from "fast-check";
import { PROPERTIES } from "../../support/flagd-schema.ts";

test.each(PROPERTIES)("%s, of 60,000", (_, property) => fc.assert(property, { numRuns: 60_000 }), 600_000);
