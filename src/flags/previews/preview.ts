/** What people see of a flag in an environment before it is for everybody. */
export type Preview = {
  isPreview: boolean;
  previewName: string;
  /** Markdown. */
  previewContent: string;
};

/** The preview of a flag for which none was set. */
export const NO_PREVIEW: Preview = { isPreview: false, previewName: "", previewContent: "" };

/** The preview as members of a larger object: none where nothing was set. */
export function previewMembers({ isPreview, previewName, previewContent }: Preview): Preview | object {
  if (!isPreview && previewName === "" && previewContent === "") return {};
  return { isPreview, previewName, previewContent };
}

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
