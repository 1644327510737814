import { deepEqual } from "node:assert/strict";
import { ProviderEvents } from "@openfeature/server-sdk";
import type { Backend } from "./backend.ts";
import type { Scenario, Step } from "./gherkin.ts";
import type { AnyClient, Subject } from "./subjects.ts";

type Details = {
  value: unknown;
  variant?: string;
  reason?: string;
  errorCode?: string;
  errorMessage?: string;
};

/** The state of a scenario that runs. */
type World = {
  subject: Subject;
  backend: Backend;
  client?: AnyClient;
  flag?: { key: string; type: string; fallback: unknown };
  context?: Record<string, string>;
  details?: Details;
  thrown?: unknown;
  remembered?: unknown;
  events: { name: string; flags: readonly string[] }[];
};

/** Milliseconds until an event, or another value after one, has to be there. */
const PATIENCE = 12_000;

const EVENTS: Record<string, ProviderEvents> = {
  ready: ProviderEvents.Ready,
  error: ProviderEvents.Error,
  stale: ProviderEvents.Stale,
  change: ProviderEvents.ConfigurationChanged,
};

type Run = (world: World, words: string[], table: string[][]) => Promise<void> | void;

const STEPS: [RegExp, Run][] = [
  [/^an? (stable|unavailable) provider$/, open],
  [
    /^an? (\w+)-flag with key "(.*)" and a default value "(.*)"$/,
    (world, [type = "", key = "", text = ""]) =>
      void (world.flag = { key, type, fallback: valueOf(type, text) }),
  ],
  [
    /^a context containing a targeting key with value "(.*)"$/,
    (world, [targetingKey = ""]) => void (world.context = { targetingKey }),
  ],
  [
    /^a context containing a key "(.*)", with type "String" and with value "(.*)"$/,
    (world, [key = "", value = ""]) => void (world.context = { ...world.context, [key]: value }),
  ],
  [/^the flag was evaluated with details$/, evaluate],
  [
    /^the resolved details value should be "(.*)"$/,
    ({ flag, details }, [text = ""]) => deepEqual(details?.value, valueOf(flag!.type, text)),
  ],
  [
    /^the resolved object value should contain$/,
    ({ details }, _, [, ...rows]) => {
      const value = details?.value as Record<string, unknown>;
      for (const [key = "", type = "", text = ""] of rows) deepEqual(value[key], valueOf(type, text));
    },
  ],
  [
    /^the (variant|reason) should be "(.*)"$/,
    ({ details }, [field, text]) => deepEqual(details?.[field as "reason"], text),
  ],
  [/^the error-code should be "(.*)"$/, ({ details }, [code]) => deepEqual(details?.errorCode ?? "", code)],
  [/^the error message should be empty$/, ({ details }) => deepEqual(details?.errorMessage ?? "", "")],
  [/^no exception should have been thrown$/, ({ thrown }) => deepEqual(thrown, undefined)],
  [
    /^the provider metadata name should not be empty$/,
    ({ client }) => deepEqual((client?.metadata.providerMetadata.name ?? "") !== "", true),
  ],
  [/^an? (\w+) event handler$/, listen],
  [/^an? (\w+) event was fired$/, heard],
  [/^the (\w+) event handler should have been executed(?: within (\d+)ms)?$/, heard],
  [
    /^the client should be in (\w+) state$/,
    async ({ client }, [state = ""]) =>
      until(`the state ${state}`, () => client?.providerStatus === state.toUpperCase()),
  ],
  [
    /^the flag should be part of the event payload$/,
    ({ events, flag }) =>
      deepEqual(
        events.some(({ flags }) => flags.includes(flag!.key)),
        true,
      ),
  ],
  [/^the resolved value is remembered$/, (world) => void (world.remembered = world.details?.value)],
  [
    /^the resolved details value should have changed$/,
    ({ details, remembered }) => deepEqual(details?.value !== remembered, true),
  ],
  [
    /^the flag was modified$/,
    async (world) => {
      world.events.length = 0;
      await world.backend.modify(world.flag!.key);
    },
  ],
  [
    /^the connection is lost$/,
    async (world) => {
      world.events.length = 0;
      await world.backend.stop();
    },
  ],
  [
    /^the connection is restored$/,
    async (world) => {
      world.events.length = 0;
      await world.backend.start();
    },
  ],
];

/** Runs a scenario against a provider; returns what failed. */
export async function runScenario(
  subject: Subject,
  backend: Backend,
  scenario: Scenario,
): Promise<string | null> {
  const world: World = { subject, backend, events: [] };
  await backend.start();
  await backend.seed();
  try {
    for (const step of scenario.steps) await runStep(world, step);
    return null;
  } catch (error) {
    return (error as Error).message.replaceAll(/\s+/g, " ").slice(0, 300);
  } finally {
    await subject.setContext?.(null);
    await subject.close();
  }
}

async function runStep(world: World, { text, table }: Step): Promise<void> {
  for (const [pattern, run] of STEPS) {
    const [whole, ...words] = pattern.exec(text) ?? [];
    if (whole === undefined) continue;
    try {
      return await run(world, words, table);
    } catch (error) {
      throw new Error(`${text}: ${(error as Error).message}`, { cause: error });
    }
  }
  throw new Error(`this suite does not know the step "${text}"`);
}

async function open(world: World, [kind]: string[]): Promise<void> {
  if (kind === "unavailable") await world.backend.stop();
  world.client = await world.subject.open(world.backend);
  if (kind === "stable") await heardFrom(world, "ready");
}

function listen({ client, events }: World, [name = ""]: string[]): void {
  client!.addHandler(EVENTS[name]! as never, (event) => {
    events.push({ name, flags: event?.flagsChanged ?? [] });
  });
}

async function heard({ events }: World, [name = "", limit]: string[]): Promise<void> {
  await until(
    `the event ${name}`,
    () => events.some((event) => event.name === name),
    Number(limit ?? PATIENCE),
  );
}

async function heardFrom(world: World, name: string): Promise<void> {
  const events: World["events"] = [];
  listen({ ...world, events }, [name]);
  await heard({ ...world, events }, [name]);
}

async function evaluate(world: World): Promise<void> {
  const { subject, client, context } = world;
  const { key, type, fallback } = world.flag!;
  try {
    if (context) await subject.setContext?.(context);
    const method = `get${/Integer|Float/.test(type) ? "Number" : (type as "String")}Details` as const;
    world.details = (await client![method](key, fallback as never, context as never)) as Details;
  } catch (error) {
    world.thrown = error;
  }
}

async function until(what: string, isSo: () => boolean, limit = PATIENCE): Promise<void> {
  for (const deadline = Date.now() + limit; !isSo();) {
    if (Date.now() > deadline) throw new Error(`no sign of ${what}`);
    await Bun.sleep(10);
  }
}

function valueOf(type: string, text: string): unknown {
  if (type === "String") return text;
  return type === "Boolean" ? text === "true" : (JSON.parse(text) as unknown);
}
