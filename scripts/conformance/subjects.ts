import { join } from "node:path";
import { FlagdProvider } from "@openfeature/flagd-provider";
import { OFREPProvider } from "@openfeature/ofrep-provider";
import { OFREPWebProvider } from "@openfeature/ofrep-web-provider";
import { OpenFeature, type Provider } from "@openfeature/server-sdk";
import { type Provider as WebProvider, OpenFeature as WebOpenFeature } from "@openfeature/web-sdk";
import { EventSource } from "eventsource";
import { FormflagProvider } from "../../src/provider/server.ts";
import type { Backend } from "./backend.ts";

// Its types are those of a browser.
const { FormflagWebProvider } = (await import(join(import.meta.dir, "../../src/provider/web.ts"))) as {
  FormflagWebProvider: new (options: { url: string; token: string }) => WebProvider;
};

/** A client of either SDK; one for browsers answers at once. */
export type AnyClient = {
  readonly providerStatus: string;
  readonly metadata: { readonly providerMetadata: { readonly name: string } };
  addHandler: (event: never, handler: (event?: { flagsChanged?: string[] }) => void) => void;
} & {
  [name in `get${"Boolean" | "String" | "Number" | "Object"}Details`]: (
    flag: string,
    fallback: never,
    context?: never,
  ) => unknown;
};

/** A provider under test, and how an application holds it. */
export type Subject = {
  /** The package. */
  name: string;
  /** Name of the report beside the page, for a provider of this repository, and its SDK. */
  report?: string;
  sdk?: string;
  /** Tags of scenarios that the provider, or its SDK, is not made for, with the reason. */
  lacks: Record<string, string>;
  /** Begins with a provider of the backend; returns before it is ready. */
  open: (backend: Backend) => Promise<AnyClient>;
  /** Makes a context the one of the next evaluations; null is none. */
  setContext?: (context: Record<string, string> | null) => Promise<void>;
  close: () => Promise<void>;
};

const NUMBERS = {
  "@numeric-coercion": "JavaScript has one number type, and its SDK has one method for numbers",
  "@strict-numeric-typing": "JavaScript has one number type, and its SDK has one method for numbers",
};

const UNAVAILABLE = {
  "@unavailable":
    "starts with the defaults of the code, and is stale until the server answers, rather than fail",
};

const headersOf = (backend: Backend): [string, string][] => [
  ["Authorization", `Bearer ${backend.token("flags:evaluate")}`],
];

/** A name of its own for each client, since an SDK keeps them by name. */
let domains = 0;

async function openOnServer(provider: Provider): Promise<AnyClient> {
  const domain = `suite-${(domains += 1)}`;
  OpenFeature.setProvider(domain, provider);
  return OpenFeature.getClient(domain);
}

function openInPage(provider: WebProvider): AnyClient {
  // A browser has one; this runtime does not.
  Object.assign(globalThis, { EventSource });
  const domain = `suite-${(domains += 1)}`;
  WebOpenFeature.setProvider(domain, provider);
  return WebOpenFeature.getClient(domain);
}

const IN_PAGE = {
  setContext: (context: Record<string, string> | null) => WebOpenFeature.setContext(context ?? {}),
  close: () => WebOpenFeature.clearProviders(),
};

const closeServer = () => OpenFeature.clearProviders();

export const SUBJECTS: Subject[] = [
  {
    name: "@formflag/openfeature",
    report: "conformance",
    sdk: "@openfeature/server-sdk",
    lacks: { ...NUMBERS, ...UNAVAILABLE },
    open: (backend) =>
      openOnServer(new FormflagProvider({ url: backend.url, token: backend.token("flags:sync") })),
    close: closeServer,
  },
  {
    name: "@formflag/openfeature/web",
    report: "conformance-web",
    sdk: "@openfeature/web-sdk",
    lacks: { ...NUMBERS, ...UNAVAILABLE },
    open: async (backend) =>
      openInPage(new FormflagWebProvider({ url: backend.url, token: backend.token("flags:evaluate") })),
    ...IN_PAGE,
  },
  {
    name: "@openfeature/ofrep-provider",
    lacks: {
      ...NUMBERS,
      "@lifecycle": "sends no request before the first evaluation",
      "@events": "sends a request for each evaluation, so it receives no change events",
      "@disabled-flags":
        "correctly returns the default in the code, but reports an answer without a value as an error",
    },
    open: (backend) => openOnServer(new OFREPProvider({ baseUrl: backend.url, headers: headersOf(backend) })),
    close: closeServer,
  },
  {
    name: "@openfeature/ofrep-web-provider",
    lacks: {
      ...NUMBERS,
      "@stale": "becomes stale, but after the outage reports a change of flags instead of being ready",
    },
    open: async (backend) => {
      const headers = headersOf(backend);
      const provider = new OFREPWebProvider({ baseUrl: backend.url, headers, cacheMode: "disabled" });
      // Its types leave out what they mean to be undefined.
      return openInPage(provider as WebProvider);
    },
    ...IN_PAGE,
  },
  {
    name: "@openfeature/flagd-provider",
    lacks: NUMBERS,
    open: (backend) =>
      openOnServer(
        new FlagdProvider({
          resolverType: "in-process",
          host: "127.0.0.1",
          port: backend.syncPort,
          selector: backend.token("flags:sync"),
          deadlineMs: 10_000,
        }),
      ),
    close: closeServer,
  },
];
