import type { Delivery } from "../../../delivery/delivery.ts";
import type { TargetView } from "../../../delivery/target.ts";
import type { FoundFeed } from "../../../forms/feeds/feed.ts";
import type { Form } from "../../../forms/form.ts";
import type { FormStats } from "../../../forms/form-stats.ts";
import type { SnippetKind } from "../../forms/snippets/snippet.ts";

/** A form with all that its page shows. */
export type FormShown = {
  form: Form;
  /** The name of its project. */
  projectName: string;
  now: number;
  /** Whether it sends mail, and no mail server is configured. */
  mailWaits: boolean;
  url: string;
  page: string;
  snippets: { kind: SnippetKind; text: string; notes: string[] }[];
  targets: readonly TargetView[];
  /** The newest deliveries to each target, newest first. */
  deliveries: ReadonlyMap<string, readonly Delivery[]>;
  feeds: readonly FoundFeed[];
  stats: FormStats;
  unread: number;
};
