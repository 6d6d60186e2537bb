/**
 * Things with an id and a version over HTTP, one maker for each verb. Each maker returns an ordinary route of
 * `defineRoute`; a route that does not fit is written with that. There are no relations, no options that switch
 * a verb off, and no hooks beside `run`. Source: docs/adr/0020-table-and-resource-kit.md.
 */
import { isDeepStrictEqual } from 'node:util';
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

export interface ListDef<C extends Columns, F extends TProperties> extends VerbDef {
  readonly order?: readonly (keyof C & string)[];
  /** Query parameters; one with the name of a column is compared with it. */
  readonly filters?: F;
  /** Conditions for the other parameters. */
  readonly where?: (filters: Static<TObject<F>>) => Part | undefined;
}

/** What a new row begins with. */
type Fresh<Id extends string> = { readonly [N in Id]: string } & Tracked;

export interface CreateDef<Id extends string, C extends Columns, S extends TSchema, B extends TSchema>
  extends WriteDef<S>,
    BodyDef<B> {
  /** Answered when another row has a unique value of this one. */
  readonly exists?: ErrorDef;
  /** Makes the new row. */
  readonly run: (ctx: Ctx, body: Static<B>, fresh: Fresh<Id>) => Awaitable<RowOfDef<Id, C>>;
}

export interface UpdateDef<Id extends string, C extends Columns, S extends TSchema, B extends TSchema>
  extends WriteDef<S>,
    BodyDef<B> {
  /** Says what changes. */
  readonly run: (ctx: Ctx, before: RowOfDef<Id, C>, body: Static<B>) => Awaitable<Partial<RowOfDef<Id, C>>>;
}

export interface DeleteDef<Id extends string, C extends Columns, S extends TSchema> extends WriteDef<S> {
  readonly summary?: string;
  /** Asked before; throws to refuse. */
  readonly run?: (ctx: Ctx, row: RowOfDef<Id, C>) => Awaitable<void>;
  /** Takes the place of deleting the row. */
  readonly remove?: (ctx: Ctx, row: RowOfDef<Id, C>) => Promise<void>;
}

type KeyOf<Id extends string, C extends Columns> = Parameters<ResourceTable<Id, C>['find']>[1];
type RowOfDef<Id extends string, C extends Columns> = RowIn<ResourceTable<Id, C>>;
const FOUND = [coreErrors.not_found];
const CHANGED = [coreErrors.not_found, coreErrors.precondition_failed];
const describe = ({ description }: VerbDef) => (description === undefined ? {} : { description });

/** @see resource */
class Resource<Id extends string, C extends Columns, S extends TSchema> {
  private readonly def: ResourceDef<Id, C, S>;
  private readonly key: Id;
  private readonly pattern: RegExp;
  private readonly one: { readonly path: string; readonly params: TObject };
  private readonly ok: { status: 200; description: string; schema: S; example: Static<S> };

  constructor(def: ResourceDef<Id, C, S>) {
    const [key] = def.table.key;
    if (key === undefined) throw new Error(`${def.id} has no key`);
    this.def = def;
    this.key = key;
    this.pattern = new RegExp(idPattern(def.kind));
    this.one = {
      path: `${def.path}/{${key}}`,
      params: Type.Object({ [key]: Type.String({ description: `Id of the ${def.one}, \`${def.kind}…\`` }) }),
    };
    this.ok = { status: 200, description: `The ${def.one}`, schema: def.schema, example: def.example };
  }

  /** Newest first, unless `order` names columns; the key is added, so that no two rows are equal. */
  list<const F extends TProperties = Record<never, never>>(verb: ListDef<C, F> = {}): AnyRoute {
    const { id, path, many, area, table, schema, example, view, only } = this.def;
    const { order: named = [], filters, where, errors = [] } = verb;
    const order = [...named, this.key];
    return pageRoute({
      id: `${id}.list`,
      path,
      summary: `List ${many}`,
      ...describe(verb),
      access: { ...reads(area), ...verb.access },
      ...(filters && { filters }),
      schema,
      example,
      errors,
      read: (ctx, page) => {
        const equal = Object.entries(page.filters as Readonly<Record<string, unknown>>)
          .filter(([name, value]) => value !== undefined && Object.hasOwn(table.columns, name))
          .map(([name, value]) => part`${raw(name)} = ${value}`);
        return table.page(ctx, {
          ...page,
          where: allOf(only, ...equal, where?.(page.filters)),
          order,
          descending: named.length === 0,
        });
      },
      position: (row) => order.map((name) => (row as Readonly<Record<string, string | number>>)[name] ?? ''),
      view,
    });
  }

  get(verb: VerbDef = {}): AnyRoute {
    const { id, one, area } = this.def;
    return defineRoute({
      ...this.one,
      id: `${id}.get`,
      method: 'GET',
      summary: `Read a ${one}`,
      ...describe(verb),
      access: { ...reads(area), ...verb.access },
      ok: [this.ok],
      errors: [...FOUND, ...(verb.errors ?? [])],
      handler: async (ctx, { params }) => this.answer(ctx, await this.require(ctx, params)),
    });
  }

  create<B extends TSchema>(verb: CreateDef<Id, C, S, B>): AnyRoute {
    const { id, path, one, area, kind, table } = this.def;
    const { body: schema, example, emits, run, exists, errors = [] } = verb;
    return defineRoute({
      id: `${id}.create`,
      method: 'POST',
      path,
      summary: `Create a ${one}`,
      ...describe(verb),
      access: { ...writes(area), ...verb.access },
      body: { kind: 'json', schema, example },
      ok: [{ ...this.ok, status: 201, description: 'Created; `Location` and `ETag` name it' }],
      errors: [...(exists === undefined ? [] : [exists]), ...errors],
      handler: async (ctx, request) => {
        const fresh = { [this.key]: ctx.ids.next(kind), ...firstVersion(ctx.at()) };
        const row = await run(ctx, request.body, fresh as Fresh<Id>);
        if (!(await table.insert(ctx, row))) throw fail(exists ?? coreErrors.conflict);
        const location = `${request.path}/${this.idIn(row)}`;
        return { ...(await this.answer(ctx, row, emits)), status: 201, headers: { location } };
      },
    });
  }

  /** What the body leaves out stays. */
  update<B extends TSchema>(verb: UpdateDef<Id, C, S, B>): AnyRoute {
    const { id, one, area, table } = this.def;
    const { body: schema, example, emits, run, errors = [] } = verb;
    return defineRoute({
      ...this.one,
      id: `${id}.update`,
      method: 'PATCH',
      summary: `Change a ${one}`,
      description: verb.description ?? 'What the body leaves out stays as it is.',
      access: { ...writes(area), ...verb.access },
      body: { kind: 'json', schema, example },
      ok: [this.ok],
      errors: [...CHANGED, ...errors],
      handler: async (ctx, { params, headers, body }) => {
        const before = await this.requireVersion(ctx, params, headers);
        const change = await run(ctx, before, body);
        // A change that changes nothing makes no version and no event.
        if (isDeepStrictEqual({ ...before, ...change }, before)) return this.answer(ctx, before);
        const after = await writeVersion(table, ctx, before, change);
        return this.answer(ctx, after, emits);
      },
    });
  }

  delete(verb: DeleteDef<Id, C, S> = {}): AnyRoute {
    const { id, one, area, table } = this.def;
    const { emits, run, remove, errors = [] } = verb;
    return defineRoute({
      ...this.one,
      id: `${id}.delete`,
      method: 'DELETE',
      summary: verb.summary ?? `Delete a ${one}`,
      ...describe(verb),
      access: { ...writes(area), idempotency: 'none', ...verb.access },
      ok: [{ status: 204, description: 'Deleted' }],
      errors: [...CHANGED, ...errors],
      handler: async (ctx, { params, headers }) => {
        const row = await this.requireVersion(ctx, params, headers);
        await run?.(ctx, row);
        if (remove === undefined) await table.delete(ctx, { [this.key]: this.idIn(row) } as KeyOf<Id, C>);
        else await remove(ctx, row);
        if (emits !== undefined) await this.answer(ctx, row, emits);
        return { status: 204 };
      },
    });
  }

  private idIn(row: RowOfDef<Id, C>): string {
    return String((row as Readonly<Record<string, unknown>>)[this.key]);
  }

  private tagOf(row: RowOfDef<Id, C>): string {
    return `${this.idIn(row)}.${(row as Tracked).version}`;
  }

  /** An id of another shape names nothing; the database is not asked. */
  private async require(ctx: Ctx, params: unknown, locks = false): Promise<RowOfDef<Id, C>> {
    const { table, only, lock } = this.def;
    const id = String((params as Readonly<Record<string, unknown>>)[this.key]);
    if (!this.pattern.test(id)) throw fail(coreErrors.not_found);
    const tail = part`${raw(this.key)} = ${id} and ${allOf(only)} ${raw(locks ? 'for update' : '')}`;
    const row =
      locks && lock !== undefined ? await lock(ctx, id) : await ctx.db.one(table.select(ctx.seller_id, tail));
    if (row === undefined) throw fail(coreErrors.not_found);
    return row;
  }

  /** The locked row, of the version that `If-Match` names. */
  private async requireVersion(ctx: Ctx, params: unknown, headers: Parameters<typeof checkIfMatch>[0]) {
    const row = await this.require(ctx, params, true);
    checkIfMatch(headers, this.tagOf(row));
    return row;
  }

  /** Shows the row, and tells of it where an event is declared. */
  private async answer(
    ctx: Ctx,
    row: RowOfDef<Id, C>,
    emits?: EventOf<Static<S>>,
  ): Promise<RouteResult<never>> {
    const body = await this.def.view(row, ctx);
    if (emits !== undefined) {
      const { version } = row as Tracked;
      await ctx.emit(emits.of(body as Static<S>, { object_id: this.idIn(row), version }));
    }
    return { body: body as never, etag: this.tagOf(row) };
  }
}

/** @returns one maker for each verb */
export const resource = <const Id extends string, C extends Columns, S extends TSchema>(
  def: ResourceDef<Id, C, S>,
): Resource<Id, C, S> => new Resource(def);
