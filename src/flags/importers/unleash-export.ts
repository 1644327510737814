import { isObject } from "../../base/json.ts";
import { type Choice, requireNone, WrongFile } from "./choice.ts";
import type { Noting } from "./draft.ts";
import { isOneOf, or, type Rule, writings } from "./logic.ts";
import { contextAttribute } from "./unleash-constraints.ts";

type Json = Record<string, unknown>;

export type Strategy = {
  name: string;
  /** Its place below that of the feature. */
  path: string;
  parameters: Json;
  constraints: unknown[];
  /** Ids of segments. */
  segments: string[];
  variants: Variant[];
};

/** A feature in one environment. */
export type Feature = {
  name: string;
  path: string;
  enabled: boolean;
  strategies: Strategy[];
  /** Whether it has strategies that are disabled. */
  hasDisabled: boolean;
  variants: Variant[];
  dependencies: Json[];
  description: unknown;
  tags: string[];
  tagsPath?: string;
};

export type Segments = { id: string; name: string; constraints: unknown[] }[];

type Read = { features: Feature[]; segments: Segments };

/**
 * Features from an answer of the client API or an export of the admin API, in the environment that `choose` selects
 * from those in the file. Throws `WrongFile` for any other file.
 */
export function featuresOf(file: unknown, choose: (names: string[]) => string): Read {
  if (!isObject(file) || !Array.isArray(file["features"]))
    throw new WrongFile('a file of Unleash looks like {"version":2,"features":[…]}');
  const segments = objects(file["segments"]).map((segment) => ({
    id: idOf(segment["id"]),
    name: textOf(segment["name"]) || `segment-${idOf(segment["id"])}`,
    constraints: arrayOf(segment["constraints"]),
  }));
  const isExport = Array.isArray(file["featureStrategies"]) || Array.isArray(file["featureEnvironments"]);
  const features = isExport ? exported(file, choose) : listed(file, choose);
  return { features, segments };
}

/** Features with their strategies in them, or in their environments. */
function listed(file: Json, choose: (names: string[]) => string): Feature[] {
  const all = objects(file["features"]);
  const names = new Set(all.flatMap((each) => objects(each["environments"]).map(({ name }) => textOf(name))));
  const environment = names.size === 0 ? undefined : choose([...names]);
  if (environment === undefined) requireNone({ from: asked(choose), into: "" });
  return all.map((feature, at) => {
    const own = objects(feature["environments"]).find(({ name }) => name === environment);
    const from = environment === undefined ? feature : (own ?? {});
    return {
      name: textOf(feature["name"]),
      path: `/features/${at}`,
      enabled: from["enabled"] === true,
      ...strategiesOf(objects(from["strategies"]), (index) => `/strategies/${index}`),
      variants: readVariants(from["variants"] ?? feature["variants"]),
      dependencies: objects(feature["dependencies"]),
      description: feature["description"],
      tags: objects(feature["tags"]).map(({ type, value }) => tagOf(type, value)),
    };
  });
}

/** The environment that is asked for although the file has no names of any. */
function asked(choose: (names: string[]) => string): Choice["from"] {
  try {
    choose(["\0"]);
    return undefined;
  } catch (error) {
    if (error instanceof WrongFile) return "by name";
    throw error;
  }
}

/** Features and what belongs to them in lists beside them. */
function exported(file: Json, choose: (names: string[]) => string): Feature[] {
  const [strategies, places] = [objects(file["featureStrategies"]), objects(file["featureEnvironments"])];
  const names = [...strategies, ...places].map(({ environment }) => textOf(environment));
  const environment = choose([...new Set(names.filter((name) => name !== ""))]);
  const inPlace = (each: Json) =>
    textOf(each["environment"]) === environment || each["environment"] === undefined;
  const segmentsBy = Map.groupBy(
    objects(file["featureStrategySegments"]),
    (each) => each["featureStrategyId"],
  );
  const placesBy = new Map(places.filter(inPlace).map((each) => [each["featureName"], each]));
  const strategiesBy = Map.groupBy(strategies.filter(inPlace), (each) => each["featureName"]);
  const tags = Map.groupBy(objects(file["featureTags"]), (each) => each["featureName"]);
  const parents = Map.groupBy(objects(file["dependencies"]), (each) => each["feature"] ?? each["name"]);
  return objects(file["features"]).map((feature, at) => {
    const name = textOf(feature["name"]);
    const place = placesBy.get(name);
    const own = (strategiesBy.get(name) ?? []).toSorted(
      (a, b) => Number(a["sortOrder"] ?? 0) - Number(b["sortOrder"] ?? 0),
    );
    const withSegments = own.map((strategy): Json => {
      if (strategy["segments"] !== undefined) return strategy;
      const of = segmentsBy.get(strategy["id"]) ?? [];
      return { ...strategy, segments: of.map((each) => each["segmentId"]) };
    });
    const dependencies = (parents.get(name) ?? []).flatMap((each) => objects(each["dependencies"]));
    return {
      name,
      path: `/features/${at}`,
      enabled: place?.["enabled"] === true,
      ...strategiesOf(withSegments, (index) => `/strategies/${index}`),
      variants: readVariants(place?.["variants"] ?? feature["variants"]),
      dependencies: dependencies.length > 0 ? dependencies : objects(feature["dependencies"]),
      description: feature["description"],
      tags: (tags.get(name) ?? []).map(({ tagType, tagValue }) => tagOf(tagType, tagValue)),
      tagsPath: "/featureTags",
    };
  });
}

function tagOf(type: unknown, value: unknown): string {
  return `${textOf(type)}:${textOf(value)}`;
}

function strategiesOf(
  all: readonly Json[],
  pathOf: (index: number) => string,
): Pick<Feature, "strategies" | "hasDisabled"> {
  const strategies = all.map((each, index) => ({
    isDisabled: each["disabled"] === true,
    name: textOf(each["name"]) || textOf(each["strategyName"]),
    path: pathOf(index),
    parameters: isObject(each["parameters"]) ? each["parameters"] : {},
    constraints: arrayOf(each["constraints"]),
    segments: arrayOf(each["segments"]).map(idOf),
    variants: readVariants(each["variants"]),
  }));
  return {
    strategies: strategies.filter(({ isDisabled }) => !isDisabled),
    hasDisabled: strategies.some(({ isDisabled }) => isDisabled),
  };
}

function objects(value: unknown): Json[] {
  return arrayOf(value).filter(isObject);
}

function arrayOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function idOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

export type Variant = {
  name: string;
  weight: number;
  /** Undefined for that of its strategy. */
  stickiness: string | undefined;
  /** The value in it; undefined without one. */
  payload: { type: string; value: string } | undefined;
  overrides: unknown;
};

function readVariants(value: unknown): Variant[] {
  const list: unknown[] = Array.isArray(value) ? value : [];
  return list.filter(isObject).map(({ name, weight, stickiness, payload, overrides }) => ({
    name: typeof name === "string" ? name : "",
    weight: typeof weight === "number" && weight > 0 ? Math.round(weight) : 0,
    stickiness: typeof stickiness === "string" && stickiness !== "" ? stickiness : undefined,
    payload:
      isObject(payload) && typeof payload["value"] === "string"
        ? { type: String(payload["type"]), value: payload["value"] }
        : undefined,
    overrides,
  }));
}

/** Whether a reader gets a variant whatever the weights are. */
export function isOverridden(overrides: unknown): Rule {
  const list: unknown[] = Array.isArray(overrides) ? overrides : [];
  return or(
    ...list.filter(isObject).map(({ contextName, values }): Rule => {
      const texts = Array.isArray(values) ? values.filter((each) => typeof each === "string") : [];
      return typeof contextName === "string"
        ? isOneOf(contextAttribute(contextName), texts.flatMap(writings))
        : false;
    }),
  );
}

/**
 * The variants of a flag by name. The values are their payloads if all have payloads of one type, otherwise their
 * names.
 */
export function valuesOf(variants: readonly Variant[], note: Noting): Record<string, unknown> {
  const values = new Map(variants.map(({ name, payload }) => [name, payload && parsed(payload)]));
  const types = new Set([...values.values()].map((value) => (value === undefined ? "none" : typeof value)));
  if (types.size === 1 && !types.has("none")) return Object.fromEntries(values);
  if (!types.has("none") || types.size > 1)
    note("/variants", "the variants have no payloads of one type: their values are their names");
  return Object.fromEntries([...values.keys()].map((name) => [name, name]));
}

function parsed({ type, value }: { type: string; value: string }): unknown {
  if (type === "number" && value.trim() !== "" && Number.isFinite(Number(value))) return Number(value);
  if (type !== "json") return value;
  try {
    const json: unknown = JSON.parse(value);
    return isObject(json) ? json : value;
  } catch {
    return value;
  }
}
