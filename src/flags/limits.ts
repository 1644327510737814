import { KiB } from "../base/bytes.ts";

/** A flag's payload as JSON text, in bytes. */
export const MAX_PAYLOAD = 256 * KiB;

/** Containers inside containers in a payload. */
export const MAX_PAYLOAD_DEPTH = 64;

/** Limits of targeting, so that no rule can hold a server up. */
export const RULE_LIMITS = {
  /** Variants, targeting and metadata of a flag, or the rule of a segment, as JSON text in bytes. */
  bytes: 256 * KiB,
  /** Containers inside containers in a rule. */
  depth: 64,
  /** Values in a rule once every segment stands in the place of its reference. */
  nodes: 20_000,
  /** Operations that one evaluation may take, and all that one request asks for. */
  steps: 20_000,
  requestSteps: 200_000,
  /** Elements that an operation may put together, and that an array of a context may have. */
  elements: 1000,
  /** Characters that an operation may put together. */
  characters: 64 * KiB,
  /** The context of an evaluation as JSON text in bytes, and containers inside containers in it. */
  context: 64 * KiB,
  contextDepth: 16,
  /** The `targetingKey` of a context, in bytes: every percentage rollout hashes it. */
  targetingKey: KiB,
} as const;

/** Characters of a flag's description. */
export const MAX_DESCRIPTION = 2000;

/** How often a server looks for scheduled changes that another process made, in milliseconds. */
export const SCHEDULE_LOOK_MS = 1000;
