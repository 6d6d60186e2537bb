import Type from 'typebox';
import { coreErrors, fail } from '../../kernel/errors.ts';
import { readsImages } from '../../platform/attachments/clean-image.ts';
import { READ_ONLY } from '../../platform/db/check-pool.ts';
import { isReadOnly, readOnlyError } from '../../platform/db/unavailable.ts';
import { defineRoute, okJson } from '../../platform/http/define-route.ts';

const Health = Type.Object(
  {
    status: Type.String({ description: 'State of the service, for example `ok`' }),
    warnings: Type.Optional(
      Type.Array(Type.String(), { description: 'What does not work here, although requests are answered' }),
    ),
  },
  { title: 'Health', description: 'State of the process.' },
);
const NO_IMAGES =
  'Images are refused with 415, because the library `sharp` does not load; install its package for this platform.';
/** The library takes a tenth of a second to load, which would lengthen each start. */
const LOADED_AFTER_S = 10;
const lacksImages = (): boolean => process.uptime() > LOADED_AFTER_S && !readsImages();
const open = { auth: 'public', rate: 'none', idempotency: 'none' } as const;

export const routes = [
  defineRoute({
    id: 'platform.liveness.get',
    method: 'GET',
    path: '/health/live',
    root: true,
    summary: 'Whether the process runs',
    description: 'Answers 200 while the process runs; it does not ask the database.',
    access: open,
    errors: [],
    ok: okJson('The process runs', Health, { status: 'ok' }),
    handler: async () => ({ body: { status: 'ok' } }),
  }),
  defineRoute({
    id: 'platform.readiness.get',
    method: 'GET',
    path: '/health/ready',
    root: true,
    summary: 'Whether the service can answer requests',
    description:
      'Answers 503 while the service cannot answer requests, for example without its database, or on a standby.',
    access: open,
    errors: [coreErrors.unavailable],
    ok: okJson('The service can answer requests', Health, { status: 'ok' }),
    handler: async (ctx) => {
      try {
        // The error makes the pool open new connections, which may lead to another server.
        await ctx.services.withSystem('jobs', 'snapshot', async (db) => {
          if ((await db.one(READ_ONLY))?.read_only === true) throw readOnlyError();
        });
      } catch (cause) {
        throw fail(coreErrors.unavailable, {
          detail: isReadOnly(cause)
            ? 'The database accepts no writes; it may be a standby.'
            : 'The database does not answer.',
          headers: { 'retry-after': '2' },
          cause,
        });
      }
      return { body: lacksImages() ? { status: 'ok', warnings: [NO_IMAGES] } : { status: 'ok' } };
    },
  }),
];
