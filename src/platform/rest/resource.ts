/**
 * Things with an id and a version over HTTP, one maker for each verb. Each maker returns an ordinary route of
 * `defineRoute`; a route that does not fit is written with that. There are no relations, no options that switch
 * a verb off, and no hooks beside `run`. Source: docs/adr/0020-table-and-resource-kit.md.
 */
import Type, { type Static, type TObject, type TProperties, type TSchema } from 'typebox';
import type { SellerCtx } from '../../kernel/context.ts';
import { coreErrors, type ErrorDef, fail } from '../../kernel/errors.ts';
import type { EventOf } from '../../kernel/events.ts';
import { type IdKind, idPattern } from '../../kernel/ids.ts';
import type { Area } from '../../kernel/permissions.ts';
import type { AnyRoute, ReadonlyDeep, RouteResult, SellerAccess } from '../../kernel/route.ts';
import type { Columns } from '../db/columns.ts';
import { allOf, type Part, part, raw } from '../db/statement.ts';
import { firstVersion, type ResourceTable, type RowIn, writeVersion } from '../db/table.ts';
import { defineRoute, type WithServices } from '../http/define-route.ts';
import { checkIfMatch } from '../http/etag.ts';
import { reads, writes } from './access.ts';
import { pageRoute } from './page-route.ts';

type Ctx = SellerCtx & WithServices;
type Awaitable<T> = T | Promise<T>;
/** What every row of a resource has beside its own columns. */
interface Tracked {
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface ResourceDef<Id extends string, C extends Columns, S extends TSchema> {
  /** Beginning of the operation ids: `faqs`, or `shipping.rules`. */
  readonly id: string;
  /** Below the base path of the module. */
  readonly path: string;
  /** What a row is called in texts: `shipping rule`, `shipping rules`. */
  readonly one: string;
  readonly many: string;
  readonly kind: IdKind;
  /** Area of the permissions. */
  readonly area: Area;
  readonly table: ResourceTable<Id, C>;
  readonly schema: S;
  readonly example: Static<S>;
  /** A row as the API shows it. */
  readonly view: (row: RowIn<ResourceTable<Id, C>>, ctx: Ctx) => Awaitable<ReadonlyDeep<Static<S>>>;
  /** Rows that exist for the API; default: all. */
  readonly only?: Part;
  /** Locks the row before it changes; default: `for update`. */
  readonly lock?: (ctx: Ctx, id: string) => Promise<RowIn<ResourceTable<Id, C>> | undefined>;
}

interface VerbDef {
  readonly description?: string;
  readonly errors?: readonly ErrorDef[];
  /** Beside what the area asks for: a plan, a limit. */
  readonly access?: Partial<Pick<SellerAccess, 'plan' | 'limit' | 'rate' | 'idempotency' | 'permission'>>;
}

interface WriteDef<S extends TSchema> extends VerbDef {
  /** Told with the object in the transaction of the change. */
  readonly emits?: EventOf<Static<S>>;
}

interface BodyDef<B extends TSchema> {
  readonly body: B;
  readonly example: Static<B>;
}

/** @returns one maker for each verb */
export function resource<const Id extends string, C extends Columns, S extends TSchema>(
  def: ResourceDef<Id, C, S>,
) {
  type Row = RowIn<ResourceTable<Id, C>>;
  type View = ReadonlyDeep<Static<S>>;
  const { table, kind, area, one, many, schema, example, view, only } = def;
  const [key] = table.key;
  if (key === undefined) throw new Error(`${def.id} has no key`);
  const at = `${def.path}/{${key}}`;
  const params = Type.Object({ [key]: Type.String({ description: `Id of the ${one}` }) });
  const pattern = new RegExp(idPattern(kind));
  const found = [coreErrors.not_found];
  const changed = [coreErrors.not_found, coreErrors.precondition_failed];
  const ok = { status: 200, description: `The ${one}`, schema, example };
  const tracked = (row: Row) => row as Row & Tracked;
  const idIn = (row: Row): string => String((row as Readonly<Record<string, unknown>>)[key]);
  const tagOf = (row: Row): string => `${idIn(row)}.${tracked(row).version}`;
  const keyOf = (id: string) => ({ [key]: id }) as Parameters<typeof table.find>[1];

  /** An id of another shape names nothing; the database is not asked. */
  const read = (ctx: Ctx, id: string, lock: boolean): Promise<Row | undefined> => {
    if (!pattern.test(id)) return Promise.resolve(undefined);
    if (lock && def.lock !== undefined) return def.lock(ctx, id);
    const tail = part`${raw(key)} = ${id} and ${allOf(only)} ${raw(lock ? 'for update' : '')}`;
    return ctx.db.one(table.select(ctx.seller_id, tail));
  };
  const require = async (ctx: Ctx, given: unknown, lock = false): Promise<Row> => {
    const row = await read(ctx, String((given as Readonly<Record<string, unknown>>)[key]), lock);
    if (row === undefined) throw fail(coreErrors.not_found);
    return row;
  };
  const answer = async (ctx: Ctx, row: Row, shown?: View) => ({
    body: (shown ?? (await view(row, ctx))) as never,
    etag: tagOf(row),
  });
  const tell = async (ctx: Ctx, event: EventOf<Static<S>> | undefined, row: Row, shown: View) => {
    if (event === undefined) return;
    await ctx.emit(event.of(shown as Static<S>, { object_id: idIn(row), version: tracked(row).version }));
  };

  return {
    /** Newest first, unless `order` names columns; the key is added, so that no two rows are equal. */
    list<const F extends TProperties = Record<never, never>>(
      verb: VerbDef & {
        readonly summary?: string;
        readonly order?: readonly (keyof C & string)[];
        /** Query parameters that are equal to the column of their name. */
        readonly filters?: F;
        /** Conditions for the other parameters. */
        readonly where?: (filters: Static<TObject<F>>) => Part | undefined;
      } = {},
    ): AnyRoute {
      const order = [...(verb.order ?? []), key];
      const descending = verb.order === undefined;
      return pageRoute({
        id: `${def.id}.list`,
        path: def.path,
        summary: verb.summary ?? `List ${many}`,
        ...(verb.description !== undefined && { description: verb.description }),
        access: { ...reads(area), ...verb.access },
        ...(verb.filters && { filters: verb.filters }),
        schema,
        example,
        errors: verb.errors ?? [],
        read: (ctx, { filters, after, limit }) => {
          const equal = Object.entries(filters as Readonly<Record<string, unknown>>)
            .filter(([name, value]) => value !== undefined && name in table.columns)
            .map(([name, value]) => part`${raw(name)} = ${value}`);
          const where = allOf(only, ...equal, verb.where?.(filters as Static<TObject<F>>));
          return table.page(ctx, { where, order, descending, after, limit });
        },
        position: (row) =>
          order.map((name) => (row as Readonly<Record<string, string | number>>)[name] ?? ''),
        view,
      });
    },

    get(verb: VerbDef = {}): AnyRoute {
      return defineRoute({
        id: `${def.id}.get`,
        method: 'GET',
        path: at,
        summary: `Read a ${one}`,
        ...(verb.description !== undefined && { description: verb.description }),
        access: { ...reads(area), ...verb.access },
        params,
        ok: [ok],
        errors: [...found, ...(verb.errors ?? [])],
        handler: async (ctx, request): Promise<RouteResult<never>> =>
          answer(ctx, await require(ctx, request.params)),
      });
    },

    create<B extends TSchema>(
      verb: WriteDef<S> &
        BodyDef<B> & {
          /** Answered when another row has a unique value of this one. */
          readonly exists?: ErrorDef;
          /** The new row; `fresh` has its id, its version and its instants. */
          readonly run: (
            ctx: Ctx,
            body: Static<B>,
            fresh: { readonly [N in Id]: string } & Tracked,
          ) => Awaitable<Row>;
        },
    ): AnyRoute {
      const { body, emits, run, exists = coreErrors.conflict } = verb;
      return defineRoute({
        id: `${def.id}.create`,
        method: 'POST',
        path: def.path,
        summary: `Create a ${one}`,
        ...(verb.description !== undefined && { description: verb.description }),
        access: { ...writes(area), ...verb.access },
        body: { kind: 'json', schema: body, example: verb.example },
        ok: [{ ...ok, status: 201, description: 'Created; `Location` and `ETag` name it' }],
        errors: [...(verb.exists === undefined ? [] : [verb.exists]), ...(verb.errors ?? [])],
        handler: async (ctx, request): Promise<RouteResult<never>> => {
          const fresh = { [key]: ctx.ids.next(kind), ...firstVersion(ctx.at()) };
          const row = await run(ctx, request.body, fresh as { readonly [N in Id]: string } & Tracked);
          if (!(await table.insert(ctx, row))) throw fail(exists);
          const shown = await view(row, ctx);
          await tell(ctx, emits, row, shown);
          const location = `${request.path}/${idIn(row)}`;
          return { ...(await answer(ctx, row, shown)), status: 201, headers: { location } };
        },
      });
    },

    /** What the body leaves out stays. */
    update<B extends TSchema>(
      verb: WriteDef<S> &
        BodyDef<B> & {
          readonly run: (ctx: Ctx, before: Row, body: Static<B>) => Awaitable<Partial<Row>>;
        },
    ): AnyRoute {
      const { body, emits, run } = verb;
      return defineRoute({
        id: `${def.id}.update`,
        method: 'PATCH',
        path: at,
        summary: `Change a ${one}`,
        description: verb.description ?? 'What the body leaves out stays as it is.',
        access: { ...writes(area), ...verb.access },
        params,
        body: { kind: 'json', schema: body, example: verb.example },
        ok: [ok],
        errors: [...changed, ...(verb.errors ?? [])],
        handler: async (ctx, request): Promise<RouteResult<never>> => {
          const before = await require(ctx, request.params, true);
          checkIfMatch(request.headers, tagOf(before));
          const after = await writeVersion(table, ctx, before, await run(ctx, before, request.body));
          const shown = await view(after, ctx);
          await tell(ctx, emits, after, shown);
          return answer(ctx, after, shown);
        },
      });
    },

    delete(
      verb: WriteDef<S> & {
        readonly summary?: string;
        /** Asked before; throws to refuse. */
        readonly run?: (ctx: Ctx, row: Row) => Awaitable<void>;
        /** Takes the place of deleting the row. */
        readonly remove?: (ctx: Ctx, row: Row) => Promise<void>;
      } = {},
    ): AnyRoute {
      return defineRoute({
        id: `${def.id}.delete`,
        method: 'DELETE',
        path: at,
        summary: verb.summary ?? `Delete a ${one}`,
        ...(verb.description !== undefined && { description: verb.description }),
        access: { ...writes(area), idempotency: 'none', ...verb.access },
        params,
        ok: [{ status: 204, description: 'Deleted' }],
        errors: [...changed, ...(verb.errors ?? [])],
        handler: async (ctx, request) => {
          const row = await require(ctx, request.params, true);
          checkIfMatch(request.headers, tagOf(row));
          await verb.run?.(ctx, row);
          if (verb.remove !== undefined) await verb.remove(ctx, row);
          else await table.delete(ctx, keyOf(idIn(row)));
          await tell(ctx, verb.emits, row, await view(row, ctx));
          return { status: 204 };
        },
      });
    },
  };
}
