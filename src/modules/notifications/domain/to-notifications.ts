import { sydneyMinute } from '../../../kernel/australia/sydney.ts';
import type { NotificationDef, NumberedNotice, Severity } from '../../../kernel/events.ts';
import { formatAmount, minor } from '../../../kernel/money.ts';

/** How long a notification is kept, read or not. */
const KEPT_MS = 90 * 86_400_000;
const TITLE_CHARS_MAX = 300;
/** This stays in a title until it is read, because later events raise the number. */
export const TIMES = '{times}';

/** A new notification of any seller. */
export interface NewNotification {
  readonly seller_id: string;
  readonly notification_id: string;
  readonly sequence: bigint;
  readonly event_id: string;
  readonly type: string;
  readonly severity: Severity;
  readonly title: string;
  readonly object_id: string;
  readonly times: number;
  readonly occurred_at: string;
  readonly expires_at: string;
}

type Shown = NumberedNotice['object'];

const fieldOf = (object: Shown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Shown)?.[name], object);

/** An amount in the currency of its object, for example `949.59 AUD`. */
function amountOf(object: Shown, value: unknown): unknown {
  const currency = object?.['currency'];
  if (typeof value !== 'number' || typeof currency !== 'string') return value;
  return `${formatAmount(minor(value), currency)} ${currency}`;
}

/** An instant as the wire writes it. */
const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

const shown = (object: Shown, path: string): unknown => {
  const value = fieldOf(object, path);
  if (typeof value === 'string' && INSTANT.test(value)) return sydneyMinute(Date.parse(value));
  return path.endsWith('_minor') ? amountOf(object, value) : value;
};

/** Fills the placeholders of a title ({@link NotificationDef}) with fields of the object, or with a dash. */
export function titleOf(template: string, object: Shown): string {
  const text = template.replaceAll(/\{([\w.|]+)\}/g, (whole, paths: string) => {
    if (whole === TIMES) return whole;
    const values = paths.split('|').map((path) => shown(object, path));
    return String(values.find((value) => value != null) ?? '–');
  });
  return text.slice(0, TITLE_CHARS_MAX);
}

const hasValues = (object: Shown, values: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(values).every(([path, value]) => fieldOf(object, path) === value);

/** What the notification is about, and its title. */
function subjectOf(
  { title, together }: NotificationDef,
  { object, object_id }: Pick<NumberedNotice, 'object' | 'object_id'>,
): { readonly object_id: string; readonly title: string } {
  const agrees = together !== undefined && hasValues(object, together.where);
  const common = agrees ? fieldOf(object, together.by) : undefined;
  return typeof common === 'string' && together !== undefined
    ? { object_id: common, title: titleOf(together.title, object) }
    : { object_id, title: titleOf(title, object) };
}

/** Makes the notifications of numbered events: one for each seller, type and subject, from the last event. */
export function toNotifications(
  notices: readonly NumberedNotice[],
  nextId: () => string,
  now: number,
): NewNotification[] {
  const byKey = new Map<string, NewNotification>();
  for (const { def, object, ...event } of notices) {
    const { type, notification } = def;
    if (notification === undefined) continue;
    const { object_id, title } = subjectOf(notification, { object, object_id: event.object_id });
    const { severity, critical } = notification;
    const key = `${event.seller_id} ${type} ${object_id}`;
    const earlier = byKey.get(key);
    byKey.set(key, {
      seller_id: event.seller_id,
      notification_id: earlier?.notification_id ?? nextId(),
      sequence: event.sequence,
      event_id: event.event_id,
      type,
      severity: critical !== undefined && hasValues(object, critical) ? 'critical' : severity,
      title,
      object_id,
      times: (earlier?.times ?? 0) + 1,
      occurred_at: event.created_at,
      expires_at: new Date(now + KEPT_MS).toISOString(),
    });
  }
  return [...byKey.values()];
}
