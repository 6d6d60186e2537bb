import type { OutgoingEventDef } from '../../kernel/events.ts';
import type { Ids } from '../../kernel/ids.ts';
import type { NewNotification, Unnumbered } from './sequence-statements.ts';

/** A notification is kept for so long, read or not. */
const KEPT_MS = 90 * 86_400_000;
const TITLE_CHARS_MAX = 300;

export interface Sequenced {
  readonly event: Unnumbered;
  readonly object: Readonly<Record<string, unknown>> | null;
  readonly sequence: bigint;
}

/** Fills `{name}` with the field of that name, or with a dash. */
function titleOf(template: string, object: Sequenced['object']): string {
  const text = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(object?.[name] ?? '–'));
  return text.slice(0, TITLE_CHARS_MAX);
}

/** Notifications of numbered events: one for each seller, type and object, made of the last event. */
export function toNotifications(
  events: readonly Sequenced[],
  defs: ReadonlyMap<string, OutgoingEventDef>,
  ids: Ids,
  now: number,
): NewNotification[] {
  const byKey = new Map<string, NewNotification>();
  for (const { event, object, sequence } of events) {
    const notification = defs.get(event.type)?.notification;
    if (notification === undefined || sequence === 0n) continue;
    const key = `${event.seller_id} ${event.type} ${event.object_id}`;
    const earlier = byKey.get(key);
    byKey.set(key, {
      seller_id: event.seller_id,
      notification_id: earlier?.notification_id ?? ids.next('ntf_'),
      sequence,
      event_id: event.event_id,
      type: event.type,
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
