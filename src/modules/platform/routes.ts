import Type from 'typebox';
import { coreErrors, fail } from '../../kernel/errors.ts';
import { defineRoute } from '../../platform/http/define-route.ts';
import { PING } from './store.ts';

const Health = Type.Object(
  { status: Type.String({ description: 'State of the service, for example `ok`' }) },
  { title: 'Health', description: 'State of the process.' },
);
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
    ok: [{ status: 200, description: 'The process runs', schema: Health, example: { status: 'ok' } }],
    handler: async () => ({ body: { status: 'ok' } }),
  }),
  defineRoute({
    id: 'platform.readiness.get',
    method: 'GET',
    path: '/health/ready',
    root: true,
    summary: 'Whether the service can answer requests',
    description: 'Answers 503 while the service cannot answer requests, for example without its database.',
    access: open,
    errors: [coreErrors.unavailable],
    ok: [
      {
        status: 200,
        description: 'The service can answer requests',
        schema: Health,
        example: { status: 'ok' },
      },
    ],
    handler: async (ctx) => {
      try {
        await ctx.services.withSystem('jobs', 'read', (db) => db.run(PING));
      } catch (cause) {
        throw fail(coreErrors.unavailable, {
          detail: 'The database does not answer.',
          headers: { 'retry-after': '2' },
          cause,
        });
      }
      return { body: { status: 'ok' } };
    },
  }),
];
