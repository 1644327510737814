/** An event on its way to a webhook. */
export type ChangeDelivery = { id: string; body: string; url: string; secret: string; attempts: number };

/** The end of an attempt: when the next one is due, or when it was the last one, in milliseconds since 1970. */
export type SettledChangeDelivery = {
  id: string;
  dueAt: number;
  endedAt: number | null;
  error: string | null;
};
