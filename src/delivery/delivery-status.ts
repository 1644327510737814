/** In the order of their numbers in the database. */
export const DELIVERY_STATUSES = ["queued", "delivered", "failed", "cancelled"] as const;

export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export const NO_MAIL_SERVER = "no mail server is configured";

/** The `error` of a delivery by mail that waits until its server is started with a mail server. */
export const WITHOUT_MAIL = `${NO_MAIL_SERVER}: the delivery waits for one`;

/** The `error` of a delivery that is cancelled because its target takes none. */
export const WITHOUT_TARGET = "the target is disabled or was deleted";

/** Settings of a form, as it has them or as a change or document sets them: null for the default. */
type MailSettings = {
  notify?: readonly string[] | null | undefined;
  autoreply?: boolean | null | undefined;
  optIn?: string | null | undefined;
};

/** Whether a form with these settings sends mail itself: to addresses that it notifies, or to the sender. */
export function sendsMailItself({ notify, autoreply, optIn }: MailSettings): boolean {
  return (notify?.length ?? 0) > 0 || autoreply === true || optIn != null;
}
