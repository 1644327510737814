/** What operators choose to name projects, environments, flags, segments, forms and tokens by. */
export const SLUG = /^[A-Za-z0-9][A-Za-z0-9._-]{0,149}$/;
