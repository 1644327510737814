/** Colours of environments. Pages show each with the name of its environment, never alone. */
export const COLORS = ["gray", "red", "orange", "yellow", "green", "blue", "purple", "pink"] as const;

export type Color = (typeof COLORS)[number];

/** The colour of a project's pages, as it is stored. */
export const ACCENT = /^#[0-9a-f]{6}$/;
