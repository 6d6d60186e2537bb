import Type, { type TObject } from 'typebox';
import { coreErrors } from '../../kernel/errors.ts';
import { moveErrors, requireMove } from '../../kernel/moves.ts';
import type { Area } from '../../kernel/permissions.ts';
import type { AnyRoute } from '../../kernel/route.ts';
import { rehearse } from '../../platform/db/savepoint.ts';
import { defineRoute, okJson } from '../../platform/http/define-route.ts';
import { checkIfMatch } from '../../platform/http/etag.ts';
import { writes } from '../../platform/rest/access.ts';
import { resource } from '../../platform/rest/resource.ts';
import type { HandlerCtx } from '../../platform/services.ts';
import { type Claimed, type Contested, submitContest } from './actions/contests.ts';
import { type ContestedKind, contestMachine } from './domain/contest-machine.ts';
import { contestErrors } from './errors.ts';
import { contestEvents } from './events.ts';
import { CONTEST_EXAMPLE, Contest, contestInput, contestStatus, toWireContest } from './schemas.ts';
import { contests, ofKinds } from './store.ts';

/** The routes with which an area shows and withdraws the contests of its kinds, below its own base path. */
export function contestRoutes(def: {
  /** The operation ids begin with it: `reviews.contests`. */
  readonly id: string;
  readonly area: Area;
  readonly kinds: readonly ContestedKind[];
}): AnyRoute[] {
  const { id, area, kinds } = def;
  const routes = resource({
    id,
    one: 'contest',
    kind: 'cst_',
    area,
    table: contests,
    schema: Contest,
    example: CONTEST_EXAMPLE,
    view: toWireContest,
    only: ofKinds(kinds),
  });
  return [
    routes.list({ filters: { status: Type.Optional(contestStatus) } }),
    routes.get({ description: 'With the facts as they were when it was submitted.' }),
    routes.move({
      verb: 'withdraw',
      summary: 'Withdraw a contest',
      description: 'Possible until the marketplace has begun its review. The target may be contested again.',
      errors: [moveErrors.invalid_transition],
      emits: contestEvents.withdrawn,
      run: (_ctx, row) => {
        requireMove(contestMachine, 'withdraw', row.status);
        return { status: 'withdrawn' };
      },
    }),
  ];
}

/** The route by which a target of an area is contested, with dry runs. */
export function contestRoute(def: {
  readonly id: string;
  readonly path: string;
  readonly params: TObject;
  readonly summary: string;
  readonly area: Area;
  /** Name of the body's schema. */
  readonly title: string;
  readonly reasons: readonly string[];
  /** Finds the target and the fact that contradicts the reason; throws 404. */
  readonly target: (
    ctx: HandlerCtx,
    params: Readonly<Record<string, string>>,
    reason: string,
  ) => Promise<{
    readonly contested: Contested;
    readonly against: Claimed['against'];
    /** Version of what is contested, for `If-Match`. */
    readonly version?: number;
  }>;
}): AnyRoute {
  const { id, path, params, summary, area, title, reasons, target } = def;
  return defineRoute({
    id,
    method: 'POST',
    path,
    params,
    summary,
    description: 'Each revision can be contested once. The facts of the order are kept as they are now.',
    access: writes(area),
    query: Type.Object({
      dry_run: Type.Optional(
        Type.Boolean({
          default: false,
          description: 'Answers exactly as the action would, and changes nothing',
        }),
      ),
    }),
    rehearsable: true,
    body: { kind: 'json', schema: contestInput(title, reasons), example: { reason: 'other' } },
    ok: okJson('The contest', Contest, CONTEST_EXAMPLE, 201),
    errors: [
      ...[coreErrors.not_found, coreErrors.precondition_failed, moveErrors.invalid_transition],
      ...Object.values(contestErrors),
    ],
    handler: async (ctx, { params, query, body, headers }) => {
      const run = async () => {
        const found = await target(ctx, params as Record<string, string>, body.reason);
        const { contested, against, version } = found;
        if (version !== undefined) checkIfMatch(headers, `${contested.id}.${version}`);
        return toWireContest(await submitContest(ctx, contested, { ...body, against }));
      };
      if (query.dry_run !== true) return { status: 201, body: await run() };
      return { status: 201, body: await rehearse(ctx.db, run), headers: { 'dry-run': 'true' } };
    },
  });
}
