import type { SellerCtx } from '../../kernel/context.ts';
import { pageOf } from '../../kernel/cursor.ts';
import { coreErrors, type FieldProblem, fail, invalid } from '../../kernel/errors.ts';
import type { OutgoingEventDef } from '../../kernel/events.ts';
import { API_PREFIX } from '../../kernel/route-path.ts';
import { PAGE_LIMIT_DEFAULT } from '../../kernel/schema.ts';
import { defineRoute, okJson } from '../../platform/http/define-route.ts';
import { lastSequence } from '../../platform/outbox/read-events.ts';
import { readOrWait } from '../../platform/outbox/read-or-wait.ts';
import { reads, writes } from '../../platform/rest/access.ts';
import type { Services } from '../../platform/services.ts';
import { hrefOf } from './actions/href-of.ts';
import { TIMES } from './domain/to-notifications.ts';
import {
  AckBody,
  Acknowledged,
  listQuery,
  NOTIFICATION_EXAMPLE,
  NotificationsPage,
  Preferences,
  PreferencesBody,
} from './schemas.ts';
import {
  acknowledge,
  acknowledgeSome,
  BEFORE_THE_FIRST,
  countUnread,
  type ListPlace,
  listNotifications,
  mutedTypes,
  muteOnly,
  type NotificationFilter,
  type NotificationRow,
  type OpenPlace,
} from './store/notifications.ts';

type Ctx = SellerCtx & { readonly services: Services };

interface Found {
  readonly rows: readonly NotificationRow[];
  readonly last: bigint;
  readonly unread: number;
}

/** The page, with the counts at the same instant. */
const find = (ctx: Ctx, filter: NotificationFilter, place: ListPlace, limit: number): Promise<Found> =>
  ctx.transaction('snapshot', async (db) => {
    const at = { db, seller_id: ctx.seller_id };
    return {
      rows: await listNotifications(at, filter, place, limit),
      last: await lastSequence(at),
      unread: await countUnread(at),
    };
  });

const toWire = ({ sequence, title, href, ...row }: NotificationRow, { modules }: Services) => ({
  ...row,
  title: title.replace(TIMES, String(row.times)),
  href: href === null ? hrefOf(modules, row.object_id) : `${API_PREFIX}${href}`,
  sequence: Number(sequence),
});

/** Events that can become a notification, by type. */
const noticesOf = ({ modules }: Services): OutgoingEventDef[] =>
  modules
    .flatMap((module) => module.events ?? [])
    .filter(({ notification }) => notification !== undefined)
    .sort((a, b) => (a.type < b.type ? -1 : 1));

/**
 * Refuses types that never become notifications.
 *
 * @param places the path of each type in the request
 * @throws ApiError 422 with the path of each refused type
 */
function checkTypes(services: Services, places: ReadonlyMap<string, FieldProblem['loc']>): void {
  const known = new Set(noticesOf(services).map(({ type }) => type));
  const problems = [...places].flatMap(([input, loc]) =>
    known.has(input)
      ? []
      : [
          {
            loc,
            msg: 'No notification has this type; GET /notifications/preferences lists them.',
            type: 'enum',
            input,
          },
        ],
  );
  if (problems.length > 0) throw invalid(problems);
}

const listRoute = defineRoute({
  id: 'notifications.list',
  method: 'GET',
  path: '',
  summary: 'List notifications',
  description:
    'With `after` the oldest come first, without it the newest. `wait` holds the answer until there is a notification. A newer event about the same object updates an open notification instead of adding one; the notification then has the number of that event.',
  access: reads('notifications'),
  query: listQuery,
  tx: 'own',
  ok: okJson('One page', NotificationsPage, {
    data: [NOTIFICATION_EXAMPLE],
    page: { limit: 50, next_cursor: null, has_more: false },
    unread_count: 1,
    last_sequence: 42,
  }),
  errors: [],
  handler: async (ctx, { query, signal, park }) => {
    const { limit = PAGE_LIMIT_DEFAULT, cursor, wait = 0, after, ...filter } = query;
    if (filter.type !== undefined) checkTypes(ctx.services, new Map([[filter.type, ['query', 'type']]]));
    const { cursors } = ctx.services;
    const scope = {
      seller_id: ctx.seller_id,
      route: 'notifications.list',
      filters: { ...filter, after },
    };
    const at = cursor === undefined ? undefined : BigInt(cursors.decode(scope, cursor)[0] ?? 0);
    const from = after === undefined ? undefined : (at ?? BigInt(after));
    const { rows, last, unread } = await readOrWait(
      ctx.services.waiters,
      ctx.seller_id,
      from ?? 0n,
      { seconds: wait, signal, park },
      (next) => find(ctx, filter, from === undefined ? { before: at ?? null } : { after: next }, limit),
    );
    const { data, page } = pageOf(rows, limit, ({ sequence }) => cursors.encode(scope, [Number(sequence)]));
    return {
      body: {
        data: data.map((row) => toWire(row, ctx.services)),
        page,
        unread_count: unread,
        last_sequence: Number(last),
      },
    };
  },
});

const ackRoute = defineRoute({
  id: 'notifications.acknowledge',
  method: 'POST',
  path: '/ack',
  summary: 'Acknowledge notifications',
  description:
    'Acknowledges notifications by their ids, or all up to a number. Acknowledging twice changes nothing.',
  access: writes('notifications'),
  body: { kind: 'json', schema: AckBody, example: { up_to: 42 } },
  ok: okJson('The number of open notifications', Acknowledged, { acknowledged: 1, unread_count: 0 }),
  errors: [],
  tx: 'own',
  handler: async (ctx, { body: { ids, up_to }, key, signal }) => {
    if ((ids === undefined) === (up_to === undefined))
      throw invalid([{ loc: ['body'], msg: 'Send either "ids" or "up_to".', type: 'one_of' }]);
    const by = { at: ctx.at(), memberId: ctx.seller.member_id };
    const acknowledgeFrom = (at: Ctx, after: OpenPlace) =>
      up_to === undefined ? acknowledge(at, ids ?? [], by) : acknowledgeSome(at, up_to, after, by);
    let acknowledged = 0;
    // A timeout does not undo earlier batches. Each batch has its entry of the activity log.
    for (let after = BEFORE_THE_FIRST; ; ) {
      if (signal.aborted) throw fail(coreErrors.timeout);
      const done = await ctx.transaction('write', async (db) => {
        const { answer } = await key.earlier(db);
        if (answer !== undefined) return answer;
        const at = ctx.in(db);
        const { count, last } = await acknowledgeFrom(at, after);
        acknowledged += count;
        ctx.audit({ counts: { acknowledged: count } });
        if (last === undefined)
          return key.keep(db, { body: { acknowledged, unread_count: await countUnread(at) } });
        after = last;
        await ctx.record(db, { status: 200 });
        return undefined;
      });
      if (done !== undefined) return done;
    }
  },
});

const PREFERENCES_EXAMPLE = {
  data: [
    {
      type: 'inventory.low_stock',
      summary: 'The units that can be sold came down to the reorder point',
      severity: 'warning',
      muted: false,
    },
  ],
};

function preferencesOf(services: Services, muted: ReadonlySet<string>) {
  return {
    data: noticesOf(services).flatMap(({ type, summary, notification }) =>
      notification === undefined
        ? []
        : [{ type, summary, severity: notification.severity, muted: muted.has(type) }],
    ),
  };
}

const preferenceRoutes = [
  defineRoute({
    id: 'notifications.preferences.get',
    method: 'GET',
    path: '/preferences',
    summary: 'Which types of events become notifications',
    description: 'Lists each type with its severity, and whether it is muted.',
    access: reads('notifications'),
    ok: okJson('All types', Preferences, PREFERENCES_EXAMPLE),
    errors: [],
    handler: async (ctx) => ({ body: preferencesOf(ctx.services, await mutedTypes(ctx)) }),
  }),
  defineRoute({
    id: 'notifications.preferences.replace',
    method: 'PUT',
    path: '/preferences',
    summary: 'Choose which types become notifications',
    description: 'Events of muted types still happen and are still delivered; they make no notification.',
    access: writes('notifications'),
    body: { kind: 'json', schema: PreferencesBody, example: { muted: ['inventory.low_stock'] } },
    ok: okJson('All types', Preferences, PREFERENCES_EXAMPLE),
    errors: [],
    handler: async (ctx, { body: { muted } }) => {
      checkTypes(ctx.services, new Map(muted.map((type, index) => [type, ['body', 'muted', index]])));
      await muteOnly(ctx, muted, ctx.at());
      return { body: preferencesOf(ctx.services, new Set(muted)) };
    },
  }),
];

export const notificationRoutes = [listRoute, ackRoute, ...preferenceRoutes];
