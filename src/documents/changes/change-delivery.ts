/** An event on its way to a webhook. */
export type ChangeDelivery = { id: string; body: string; url: string; secret: string; attempts: number };

/**
 * The end of an attempt: the time of the next one, or the time of this one if it was the last, in milliseconds since
 * 1970.
 */
export type SettledChangeDelivery = {
  id: string;
  dueAt: number;
  endedAt: number | null;
  error: string | null;
};
