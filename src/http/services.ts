import type { AdminApp } from "./admin/admin.ts";
import type { DashboardApp } from "./dashboard/dashboard.tsx";
import type { CodeReferencesService } from "./flags/code-references.ts";
import type { FlagdSource } from "./flags/flagd/source.ts";
import type { FlagsService } from "./flags/flags.ts";
import type { FollowingService } from "./flags/following.ts";
import type { OfrepService } from "./flags/ofrep.ts";
import type { PagesService } from "./flags/pages.ts";
import type { PreviewsService } from "./flags/previews.ts";
import type { FormsService } from "./forms/forms.ts";
import type { McpService } from "./mcp/mcp.ts";
import type { MetricsApp } from "./operation/exposition.ts";

/** The services of one address. Functions load a service at its first request, so that a server starts sooner. */
export type Services = {
  forms?: FormsService | undefined;
  flags?: FlagsService | undefined;
  codeReferences?: (() => Promise<CodeReferencesService>) | undefined;
  previews?: PreviewsService | undefined;
  ofrep?: (() => Promise<OfrepService>) | undefined;
  pages?: (() => Promise<PagesService>) | undefined;
  flagdSource?: (() => Promise<FlagdSource>) | undefined;
  following?: (() => Promise<FollowingService>) | undefined;
  admin?: (() => Promise<AdminApp>) | undefined;
  mcp?: (() => Promise<McpService>) | undefined;
  dashboard?: (() => Promise<DashboardApp>) | undefined;
  metrics?: (() => Promise<MetricsApp>) | undefined;
};
