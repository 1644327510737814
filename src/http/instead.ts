import { ADMIN_PATH } from "../operations/operation.ts";
import type { Services } from "./services.ts";

/** A guessed address, the service whose address it stands for, and the sentence about it; null for every service. */
type Guess = [path: RegExp, service: keyof Services | null, text: string];

const FORMS = `a page posts to /v1/s/<form key>, and the admin API reads what was sent below ${ADMIN_PATH}/forms`;

const GUESSES: readonly Guess[] = [
  [/^\/v1\/s$/, "forms", "the address of a form ends in its key, as in /v1/s/<form key>"],
  [/^\/(?:s|(?:api\/)?(?:v\d\/)?(?:forms?|submit|submissions?|send|contact))(?:\/|$)/, "forms", FORMS],
  [/^\/(?:v1\/)?f(?:\/|$)/, "forms", "the page of a form is /v1/f/<form key>"],
  [/^\/(?:thanks|thank-you|success)$/, "forms", "the page after a submission is /v1/thanks"],
  [
    /^\/(?:api\/)?(?:v\d\/)?(?:flags?|features?|toggles?)(?:\/|$)/,
    "flags",
    "flags are read at /api/v1/flags and /api/v1/flags/<slug>",
  ],
  [
    /^\/(?:api\/)?(?:v\d\/)?(?:evaluate|evaluation|ofrep)(?:\/|$)/,
    "ofrep",
    "flags are evaluated with POST to /ofrep/v1/evaluate/flags and /ofrep/v1/evaluate/flags/<key>",
  ],
  [
    /^\/flagd(?:\/|$)/,
    "flagdSource",
    "the flags of an environment for flagd are at /flagd/v1/<project>/<environment>.json",
  ],
  [
    /^\/(?:api\/)?(?:v\d\/)?_?(?:health|healthcheck|health-check|live|livez|liveness|ping|status|up|ready|readiness)(?:\/|$)/,
    null,
    "/healthz answers while the server is healthy, /readyz while it is ready",
  ],
  [
    /^\/(?:api\/)?(?:v\d\/)?(?:docs?|swagger|swagger-ui|redoc|api-docs|openapi|spec|schema|graphql)(?:[./]|$)/,
    "admin",
    "/openapi.json describes the admin API",
  ],
  [/^\/(?:metric|prometheus|stats)(?:\/|$)/, "metrics", "the metrics are at /metrics"],
  [
    /^\/(?:admin\/(?:api|v\d)|api\/admin|(?:api\/)(?:v\d\/)?(?:admin|projects?|environments?|segments?|tokens?|users?|targets?|deliveries|webhooks?|history))(?:\/|$)/,
    "admin",
    `the admin API is below ${ADMIN_PATH}, and /openapi.json describes it`,
  ],
  [
    /^\/(?:admin|login|signin|sign-in|sign_in|auth|ui|console|app|home|panel|inbox|projects?|users?|settings|index\.(?:html|php))(?:\/|$)/,
    "dashboard",
    "the dashboard is at /dashboard",
  ],
  [/^\/api(?:\/v\d)?$/, "flags", `flags are read at /api/v1/flags, and the admin API is below ${ADMIN_PATH}`],
];

/** Characters of a path that are compared. */
const MAX_PATH = 100;

/**
 * The sentence about the address that was probably meant by a path behind the base path, with addresses under it; null
 * if none is known. It says the same of every key and name in the path, whether it exists or not.
 */
export function insteadOf(path: string, services: Services, basePath: string): string | null {
  const start = path.slice(0, MAX_PATH).toLowerCase();
  const found = GUESSES.find(
    ([pattern, service]) => (service === null || services[service] !== undefined) && pattern.test(start),
  );
  return found?.[2].replaceAll(/(^| )\//g, `$1${basePath}/`) ?? null;
}
