import type { SellerCtx } from '../../kernel/context.ts';
import { pageOf } from '../../kernel/cursor.ts';
import { coreErrors, type FieldProblem, fail, invalid } from '../../kernel/errors.ts';
import type { OutgoingEventDef } from '../../kernel/events.ts';
import type { AnyRoute, ModuleDef } from '../../kernel/route.ts';
import { PAGE_LIMIT_DEFAULT } from '../../kernel/schema.ts';
import { defineRoute } from '../../platform/http/define-route.ts';
import { lastSequence } from '../../platform/outbox/read-events.ts';
import { readOrWait } from '../../platform/outbox/read-or-wait.ts';
import type { Services } from '../../platform/services.ts';
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
  type Acknowledging,
  acknowledge,
  acknowledgeSome,
  BEFORE_THE_FIRST,
  countUnread,
  listAfter,
  listNewest,
  mutedTypes,
  muteOnly,
  type NotificationFilter,
  type NotificationRow,
} from './store/notifications.ts';

const read = {
  auth: 'seller',
  permission: 'notifications:read',
  rate: 'read',
  idempotency: 'none',
} as const;
const write = {
  auth: 'seller',
  permission: 'notifications:write',
  rate: 'write',
  idempotency: 'optional',
} as const;

type Ctx = SellerCtx & { readonly services: Services };

interface Found {
  readonly rows: readonly NotificationRow[];
  readonly last: bigint;
  readonly unread: number;
}

/** Where a reader begins: behind the newest that it has seen, or before the oldest of the last page. */
interface Asked {
  readonly filter: NotificationFilter;
  readonly after: bigint | undefined;
  readonly before: bigint | null;
  readonly limit: number;
}

const find = (ctx: Ctx, { filter, after, before, limit }: Asked): Promise<Found> =>
  ctx.transaction('snapshot', async (db) => ({
    rows:
      after === undefined
        ? await listNewest(db, filter, before, limit + 1)
        : await listAfter(db, filter, after, limit + 1),
    last: await lastSequence(db),
    unread: await countUnread(db),
  }));

const toWire = ({ sequence, ...row }: NotificationRow) => ({ ...row, sequence: Number(sequence) });

const notifying = (modules: readonly ModuleDef[]): OutgoingEventDef[] =>
  modules
    .flatMap((module) => module.events ?? [])
    .filter(({ notification }) => notification !== undefined)
    .sort((a, b) => (a.type < b.type ? -1 : 1));

/**
 * Refuses types that never become notifications.
 *
 * @param places where each stands in the request
 * @throws ApiError 422 at each of them
 */
function checkTypes(places: ReadonlyMap<string, FieldProblem['loc']>, modules: readonly ModuleDef[]): void {
  const known = new Set(notifying(modules).map(({ type }) => type));
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

const listRoute = (modules: () => readonly ModuleDef[]): AnyRoute =>
  defineRoute({
    id: 'notifications.list',
    method: 'GET',
    path: '',
    summary: 'What the seller should know of',
    description:
      'Polled: with `after` the oldest come first, without it the newest; `wait` holds the answer until there is one. An open notification is brought up to date instead of being repeated; it then moves to the number of the newer event.',
    access: read,
    query: listQuery,
    tx: 'own',
    ok: [
      {
        status: 200,
        description: 'One page',
        schema: NotificationsPage,
        example: {
          data: [NOTIFICATION_EXAMPLE],
          page: { limit: 50, next_cursor: null, has_more: false },
          unread_count: 1,
          last_sequence: 42,
        },
      },
    ],
    errors: [],
    handler: async (ctx, { query, signal, park }) => {
      const { limit = PAGE_LIMIT_DEFAULT, cursor, wait = 0, after, ...filter } = query;
      if (filter.type !== undefined) checkTypes(new Map([[filter.type, ['query', 'type']]]), modules());
      const { cursors } = ctx.services;
      const scope = {
        seller_id: ctx.seller.seller_id,
        route: 'notifications.list',
        filters: { ...filter, after },
      };
      const at = cursor === undefined ? undefined : BigInt(cursors.decode(scope, cursor)[0] ?? 0);
      const asked: Asked = {
        filter,
        after: after === undefined ? undefined : (at ?? BigInt(after)),
        before: after === undefined ? (at ?? null) : null,
        limit,
      };
      const { rows, last, unread } = await readOrWait(
        ctx.services.waiters,
        ctx.seller.seller_id,
        asked.after ?? 0n,
        { seconds: wait, signal, park },
        (from) => find(ctx, asked.after === undefined ? asked : { ...asked, after: from }),
      );
      const { data, page } = pageOf(rows, limit, ({ sequence }) => cursors.encode(scope, [Number(sequence)]));
      return { body: { data: data.map(toWire), page, unread_count: unread, last_sequence: Number(last) } };
    },
  });

/**
 * In transactions of their own, so that none is long; what was acknowledged stays so, should the time be over.
 *
 * @throws ApiError 504
 */
async function acknowledgeUpTo(
  ctx: Ctx,
  upTo: number,
  by: Acknowledging,
  signal: AbortSignal,
): Promise<number> {
  let count = 0;
  for (let after = BEFORE_THE_FIRST; ; ) {
    if (signal.aborted) throw fail(coreErrors.timeout);
    const some = await ctx.transaction('write', (db) => acknowledgeSome(db, upTo, after, by));
    if (some === undefined) return count;
    count += some.count;
    after = some.last;
  }
}

const ackRoute = defineRoute({
  id: 'notifications.acknowledge',
  method: 'POST',
  path: '/ack',
  summary: 'Acknowledge notifications',
  description: 'Some by their ids, or all up to a number. Acknowledging twice changes nothing.',
  access: write,
  body: { kind: 'json', schema: AckBody, example: { up_to: 42 } },
  ok: [
    {
      status: 200,
      description: 'What is still open',
      schema: Acknowledged,
      example: { acknowledged: 1, unread_count: 0 },
    },
  ],
  errors: [],
  tx: 'own',
  handler: async (ctx, { body: { ids, up_to }, key, signal }) => {
    if ((ids === undefined) === (up_to === undefined))
      throw invalid([{ loc: ['body'], msg: 'Send either "ids" or "up_to".', type: 'one_of' }]);
    const { answer } = await ctx.transaction('write', (db) => key.earlier(db));
    if (answer !== undefined) return answer;
    const by = { at: new Date(ctx.now()).toISOString(), memberId: ctx.seller.member_id };
    const before = up_to === undefined ? 0 : await acknowledgeUpTo(ctx, up_to, by, signal);
    return ctx.transaction('write', async (db) => {
      const earlier = await key.earlier(db);
      if (earlier.answer !== undefined) return earlier.answer;
      const acknowledged = before + (ids === undefined ? 0 : await acknowledge(db, ids, by));
      return key.keep(db, { body: { acknowledged, unread_count: await countUnread(db) } });
    });
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

function preferencesOf(modules: readonly ModuleDef[], muted: ReadonlySet<string>) {
  return {
    data: notifying(modules).flatMap(({ type, summary, notification }) =>
      notification === undefined
        ? []
        : [{ type, summary, severity: notification.severity, muted: muted.has(type) }],
    ),
  };
}

const preferenceRoutes = (modules: () => readonly ModuleDef[]): AnyRoute[] => [
  defineRoute({
    id: 'notifications.preferences.get',
    method: 'GET',
    path: '/preferences',
    summary: 'Which types of events become notifications',
    access: read,
    ok: [{ status: 200, description: 'All types', schema: Preferences, example: PREFERENCES_EXAMPLE }],
    errors: [],
    handler: async (ctx) => ({ body: preferencesOf(modules(), await mutedTypes(ctx.db)) }),
  }),
  defineRoute({
    id: 'notifications.preferences.replace',
    method: 'PUT',
    path: '/preferences',
    summary: 'Choose which types become notifications',
    description: 'Muted types still become events; they are only not told here.',
    access: write,
    body: { kind: 'json', schema: PreferencesBody, example: { muted: ['inventory.low_stock'] } },
    ok: [{ status: 200, description: 'All types', schema: Preferences, example: PREFERENCES_EXAMPLE }],
    errors: [],
    handler: async (ctx, { body: { muted } }) => {
      checkTypes(new Map(muted.map((type, index) => [type, ['body', 'muted', index]])), modules());
      await muteOnly(ctx.db, ctx.seller.seller_id, muted, new Date(ctx.now()).toISOString());
      return { body: preferencesOf(modules(), new Set(muted)) };
    },
  }),
];

export const notificationRoutes = (modules: () => readonly ModuleDef[]): AnyRoute[] => [
  listRoute(modules),
  ackRoute,
  ...preferenceRoutes(modules),
];
