import type { Page, PageQuery } from "../base/pages.ts";
import type { FlagsApp } from "../flags/store.ts";
import type { SegmentPlace } from "../flags/segment.ts";
import type { FormsApp } from "../forms/store.ts";

/** A value of a segment, and how many submissions have it. */
export type Member = { value: string; submissions: number };

/** `pending` selects the values that are not approved. */
export type MemberQuery = PageQuery & { pending: boolean };

export type MembershipsStore = {
  memberships: {
    /** By value. Throws `not_found` for the environment. */
    page(place: SegmentPlace, query: MemberQuery): Promise<Page<Member>>;
    /** The values among some that the segment has, approved (1) or not (0). Throws as `page`. */
    among(place: SegmentPlace, values: readonly string[]): Promise<{ value: string; approved: number }[]>;
  };
};

/** The part of the app that operations on members use. */
export type MembershipsApp = FlagsApp & { store: MembershipsStore };

/** The part of the app that lets forms fill segments. */
export type SourceApp = FlagsApp & FormsApp;
