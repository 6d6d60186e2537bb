import { sydneyMinute } from '../../../kernel/australia/sydney.ts';
import {
  fieldOf,
  hasValues,
  type NotificationDef,
  type NumberedNotice,
  type Severity,
} from '../../../kernel/events.ts';
import { formatAmount, minor } from '../../../kernel/money.ts';

/** How long a notification is kept, read or not. */
const KEPT_MS = 90 * 86_400_000;
export const TITLE_CHARS_MAX = 300;
/** This stays in a title until it is read, because later events raise the number. */
export const TIMES = '{times}';
/** This stands for the order of the object until the title is written with its number, as people call it. */
export const ORDER = '{order}';

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
  /** The order that `{order}` in the title names. */
  readonly order_id: string | null;
  /** Below `/api/v1`; null: the route that reads objects with such an id. */
  readonly href: string | null;
  readonly times: number;
  readonly occurred_at: string;
  readonly expires_at: string;
  /** A later event of the same round has acknowledged it. */
  readonly acknowledged_at: string | null;
}

/** The open notifications that events acknowledge. */
export interface Cleared {
  readonly seller_id: string;
  readonly type: string;
  readonly object_id: string;
}

interface Changes {
  readonly written: readonly NewNotification[];
  /** Those that were open before. */
  readonly cleared: readonly Cleared[];
}

type Shown = NumberedNotice['object'];

/** An amount in the currency that stands beside it, or in that of its object, for example `949.59 AUD`. */
function amountOf(object: Shown, path: string, value: unknown): unknown {
  const beside = path.replace(/[^.]+$/, 'currency');
  const currency = fieldOf(object, beside) ?? object?.['currency'];
  if (typeof value !== 'number' || typeof currency !== 'string') return value;
  return `${formatAmount(minor(value), currency)} ${currency}`;
}

/** An instant as the wire writes it. */
const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** A value of a closed list, as the wire writes it. People read `late_dispatch` as words. */
const CODE = /^[a-z]+(?:_[a-z]+)+$/;
/** Fields in which a seller may have written such a text as a name. */
const NAME = /(?:sku|name|title|number|^subject|question)$/;

function inWords(path: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => inWords(path, one)).join(', ');
  if (typeof value !== 'string') return value;
  if (INSTANT.test(value)) return sydneyMinute(Date.parse(value));
  return CODE.test(value) && !NAME.test(path) ? value.replaceAll('_', ' ') : value;
}

const ORDER_PATHS = ['order_id', 'subject.order_id', 'links.order_id'];
function orderOf(object: Shown): string | null {
  const ids = ORDER_PATHS.map((path) => fieldOf(object, path));
  return ids.find((id) => typeof id === 'string') ?? null;
}

function shown(object: Shown, path: string): unknown {
  const value = fieldOf(object, path);
  if (ORDER_PATHS.includes(path) && typeof value === 'string') return ORDER;
  return path.endsWith('_minor') ? amountOf(object, path, value) : inWords(path, value);
}

const PLACEHOLDER = /\{([\w.|]+)(?: (\w+))?\}/g;
const firstOf = (object: Shown, paths: string): unknown =>
  paths
    .split('|')
    .map((path) => shown(object, path))
    .find((found) => found != null);

/**
 * Fills the placeholders of a title ({@link NotificationDef}) with fields of the object, or with a dash. A noun in a
 * placeholder follows its number: `{counts.rows row}` is `1 row` or `4 rows`. A title that is too long ends with `…`.
 */
export function titleOf(template: string, object: Shown): string {
  const chosen = template.replaceAll(/\[([^\]]*)\]/g, (_, part: string) =>
    [...part.matchAll(PLACEHOLDER)].every(([, paths = '']) => firstOf(object, paths) !== undefined)
      ? part
      : '',
  );
  const text = chosen.replaceAll(PLACEHOLDER, (whole, paths: string, noun?: string) => {
    if (whole === TIMES) return whole;
    const value = firstOf(object, paths) ?? '–';
    return noun === undefined ? String(value) : `${value} ${noun}${value === 1 ? '' : 's'}`;
  });
  return text.length > TITLE_CHARS_MAX ? `${text.slice(0, TITLE_CHARS_MAX - 1)}…` : text;
}

/** A path with the fields of the object; null if it lacks one. */
function pathOf(template: string | undefined, object: Shown): string | null {
  let isWhole = template !== undefined;
  const path = template?.replaceAll(/\{([\w.]+)\}/g, (_, field: string) => {
    const value = fieldOf(object, field);
    if (typeof value !== 'string') isWhole = false;
    return encodeURIComponent(String(value));
  });
  return isWhole ? (path ?? null) : null;
}

const isNoticed = ({ when = {} }: NotificationDef, object: Shown): boolean =>
  Object.entries(when).every(([path, values]) => values.includes(fieldOf(object, path)));

/** What the notification is about, its title, and where it is shown. */
function subjectOf(
  { title, instead, href, together }: NotificationDef,
  { object, object_id }: Pick<NumberedNotice, 'object' | 'object_id'>,
): Pick<NewNotification, 'object_id' | 'title' | 'href'> {
  const agrees = together !== undefined && hasValues(object, together.where);
  const common = agrees ? fieldOf(object, together.by) : undefined;
  const own = instead !== undefined && hasValues(object, instead.where) ? instead.title : title;
  return typeof common === 'string' && together !== undefined
    ? { object_id: common, title: titleOf(together.title, object), href: null }
    : { object_id, title: titleOf(own, object), href: pathOf(href, object) };
}

const keyOf = ({ seller_id, type, object_id }: Cleared): string => `${seller_id} ${type} ${object_id}`;

/**
 * What numbered events, in their order, change: one notification for each seller, type and subject, from the last event.
 * An event that clears acknowledges those that were open before it.
 */
export function toNotifications(
  notices: readonly NumberedNotice[],
  nextId: () => string,
  now: number,
): Changes {
  const at = new Date(now).toISOString();
  const done: NewNotification[] = [];
  const open = new Map<string, NewNotification>();
  const cleared = new Map<string, Cleared>();
  for (const { def, object, ...event } of notices) {
    const { type, notification, clears } = def;
    const cleans =
      clears !== undefined && [clears.where ?? {}].flat().some((values) => hasValues(object, values));
    for (const old of cleans ? clears.types : []) {
      const named = { seller_id: event.seller_id, type: old, object_id: event.object_id };
      const earlier = open.get(keyOf(named));
      if (earlier !== undefined) done.push({ ...earlier, acknowledged_at: at });
      open.delete(keyOf(named));
      cleared.set(keyOf(named), named);
    }
    if (notification === undefined || !hasValues(object, notification.where)) continue;
    if (!isNoticed(notification, object)) continue;
    const { object_id, ...shownAs } = subjectOf(notification, { object, object_id: event.object_id });
    const { severity, critical } = notification;
    const key = keyOf({ seller_id: event.seller_id, type, object_id });
    const earlier = open.get(key);
    open.set(key, {
      seller_id: event.seller_id,
      notification_id: earlier?.notification_id ?? nextId(),
      sequence: event.sequence,
      event_id: event.event_id,
      type,
      severity: critical !== undefined && hasValues(object, critical) ? 'critical' : severity,
      ...shownAs,
      order_id: orderOf(object),
      object_id,
      times: (earlier?.times ?? 0) + 1,
      occurred_at: event.created_at,
      expires_at: new Date(now + KEPT_MS).toISOString(),
      acknowledged_at: null,
    });
  }
  return { written: [...done, ...open.values()], cleared: [...cleared.values()] };
}
