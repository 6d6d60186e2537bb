import type { NumberedNotice, Severity } from '../../../kernel/events.ts';

/** How long a notification is kept, read or not. */
const KEPT_MS = 90 * 86_400_000;
const TITLE_CHARS_MAX = 300;

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

/** Fills `{name}` and `{name.part}` with fields of the object, or with a dash. */
export function titleOf(template: string, object: NumberedNotice['object']): string {
  const text = template.replaceAll(/\{([\w.]+)\}/g, (_, path: string) => {
    const field = path
      .split('.')
      .reduce<unknown>((value, name) => (value as NumberedNotice['object'])?.[name], object);
    return String(field ?? '–');
  });
  return text.slice(0, TITLE_CHARS_MAX);
}

/** Makes the notifications of numbered events: one for each seller, type and object, from the last event. */
export function toNotifications(
  notices: readonly NumberedNotice[],
  nextId: () => string,
  now: number,
): NewNotification[] {
  const byKey = new Map<string, NewNotification>();
  for (const { def, object, ...event } of notices) {
    const { type, notification } = def;
    if (notification === undefined) continue;
    const key = `${event.seller_id} ${type} ${event.object_id}`;
    const earlier = byKey.get(key);
    byKey.set(key, {
      seller_id: event.seller_id,
      notification_id: earlier?.notification_id ?? nextId(),
      sequence: event.sequence,
      event_id: event.event_id,
      type,
      severity: notification.severity,
      title: titleOf(notification.title, object),
      object_id: event.object_id,
      times: (earlier?.times ?? 0) + 1,
      occurred_at: event.created_at,
      expires_at: new Date(now + KEPT_MS).toISOString(),
    });
  }
  return [...byKey.values()];
}
