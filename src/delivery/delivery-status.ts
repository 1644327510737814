/** In the order of their numbers in the database. */
export const DELIVERY_STATUSES = ["queued", "delivered", "failed", "cancelled"] as const;

export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];
