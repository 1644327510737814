/** A flag that is a preview, as its readers need it. Times are milliseconds since 1970. */
export type PreviewedFlag = {
  slug: string;
  enabled: boolean;
  previewName: string;
  /** Markdown. */
  previewContent: string;
  expiresAt: number | null;
  createdAt: number;
};
