import type { Furnished } from "./furnished.ts";

/** The pages that everybody sees who is not signed in. */
export const OPEN_PAGES = ["/sign-in", "/link/not-a-link", "/invitation/not-an-invitation"];

/** The pages of a dashboard that has nothing to show yet. */
export const EMPTY_PAGES = [
  "/",
  "/inbox",
  "/inbox?folder=spam",
  "/people",
  "/forms",
  "/forms/new",
  "/projects",
  "/deliveries",
  "/access/tokens",
  "/access/users",
  "/audit",
  "/device",
  "/me",
  "/me/totp",
  "/health",
];

/** A page of each kind, in each of its states, of what `furnish` makes. */
export function fullPages({
  submissions,
  spam,
  withFiles,
  revision,
  scheduled,
  delivery,
  change,
}: Furnished): string[] {
  const shop = "/projects/shop";
  const production = `${shop}/environments/production`;
  return [
    ...EMPTY_PAGES,
    "/access/users/viewer",
    "/?reads=week",
    "/inbox?folder=archived",
    "/inbox?q=order",
    "/inbox/contact",
    `/inbox/contact/${submissions[0]}`,
    `/inbox/contact/${spam}`,
    `/inbox/contact/${withFiles}`,
    "/inbox/-/matching?form=contact&do=archived",
    "/people?q=ada%40example.com",
    "/forms/contact",
    "/forms/contact/settings",
    "/forms/contact/history",
    "/forms/contact/delete",
    "/forms/contact/move",
    shop,
    `${shop}/flags/checkout`,
    `${production}/flags/checkout`,
    `${shop}/environments/develop/flags/checkout`,
    `${shop}/environments/staging/flags/checkout`,
    `${shop}/environments/staging/flags/ramped`,
    `${shop}/flags/ramped`,
    `${shop}/flags/checkout/code`,
    `${shop}/flags/checkout/feedback`,
    `${shop}/history`,
    `${shop}/history/${revision}`,
    `${shop}/history/${revision}/rollback`,
    `${shop}/compare?from=develop&to=production`,
    `${shop}/changes`,
    `${shop}/changes/${change}`,
    `${shop}/scheduled`,
    `${production}/scheduled/${scheduled}/cancel`,
    `${shop}/stale?days=1`,
    `${shop}/segments`,
    `${shop}/segments/new`,
    `${production}/segments/staff`,
    `${production}/segments/staff/delete`,
    `${shop}/settings`,
    `${shop}/targets`,
    `${shop}/members`,
    `${shop}/tokens`,
    `${shop}/changes`,
    `${shop}/import`,
    `${shop}/delete`,
    `${production}/delete`,
    "/deliveries?status=failed",
    `/deliveries/${delivery}`,
    "/nowhere",
  ];
}
