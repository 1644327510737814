import type { Scope } from "../../access/scope.ts";
import type { Browser, SignedIn } from "../../access/sign-in.ts";
import type { App } from "../../app.ts";
import { limitKey } from "../address.ts";
import type { Cookies, Flash } from "./cookies.ts";
import type { DashboardContext, DashboardOptions } from "./dashboard-env.ts";
import type { Fields } from "./fields.ts";
import type { Page } from "./page.tsx";
import type { ParametersOf } from "./paths.ts";
import type { View, addressOf } from "./view.ts";

/** Result of an action: the next page, and the message on it. */
export type Done = {
  to: string;
  query?: Parameters<typeof addressOf>[2];
} & Partial<Flash>;

/** Shared by the routes of pages. */
export type Dashboard = {
  app: App;
  options: DashboardOptions;
  /** The path of the dashboard. */
  root: string;
  cookies: Cookies;
  /** Shows a page at a path, to callers that hold the scope; null for every signed-in user. */
  get: <P extends string>(
    path: P,
    scope: Scope | null,
    show: (c: DashboardContext, parameters: ParametersOf<P>) => Promise<Page | Response>,
  ) => void;
  /**
   * Takes the forms that are sent to a path. It changes things through an operation of the product, and goes on to another
   * page, or shows one, for example with what was wrong. A form of more than `maxBody` bytes is refused.
   */
  post: <P extends string>(
    path: P,
    scope: Scope | null,
    act: (
      c: DashboardContext,
      fields: Fields,
      parameters: ParametersOf<P>,
    ) => Promise<Done | Page | Response>,
    maxBody?: number,
  ) => void;
  /** Returns the user, time and time zone of a page view. */
  viewOf: (c: DashboardContext) => View;
  /** Answers with a page. */
  render: (c: DashboardContext, page: Page) => Promise<Response>;
  /** Starts a session in the browser that sent the request, and ends the one that it had. */
  enter: (c: DashboardContext, session: SignedIn & { secret: string }) => Promise<void>;
};

/** Describes the browser that signs in. */
export function browserOf(c: DashboardContext): Browser {
  const { client } = c.env;
  return {
    agent: c.req.header("user-agent") ?? "",
    address: client.address,
    network: limitKey(client),
  };
}
