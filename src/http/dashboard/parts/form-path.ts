/** The path of the page of a form, behind the dashboard. */
export function formPath(slug: string): string {
  return `/forms/${encodeURIComponent(slug)}`;
}
