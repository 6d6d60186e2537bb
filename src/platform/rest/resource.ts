/**
 * Routes for things that have an id and a version, with one maker for each verb. Each maker returns an ordinary route
 * of `defineRoute`. A route that fits no maker is written with `defineRoute`. There are no relations, no options that
 * switch a verb off, and no hooks except `run`. Source: docs/adr/0020-table-and-resource-kit.md.
 */
import Type, { type Static, type TObject, type TProperties, type TSchema } from 'typebox';
import { coreErrors, type ErrorDef, fail } from '../../kernel/errors.ts';
import type { EventOf } from '../../kernel/events.ts';
import { type IdKind, idPattern } from '../../kernel/ids.ts';
import type { Area } from '../../kernel/permissions.ts';
import type { AnyRoute, ReadonlyDeep, RouteResult, SellerAccess } from '../../kernel/route.ts';
import { changedFields } from '../audit/changed-fields.ts';
import { type Column, type Columns, encodeArray } from '../db/columns.ts';
import { allOf, type Part, part, raw } from '../db/statement.ts';
import { firstVersion, type ResourceTable, type RowIn, writeVersion } from '../db/table.ts';
import { defineRoute } from '../http/define-route.ts';
import { checkIfMatch, shownTag } from '../http/etag.ts';
import type { HandlerCtx } from '../services.ts';
import { reads, writes } from './access.ts';
import { pageRoute } from './page-route.ts';

type Awaitable<T> = T | Promise<T>;
/** The columns of every resource. */
interface Tracked {
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
}

type View<Id extends string, C extends Columns, S extends TSchema> = (
  row: RowOfDef<Id, C>,
  ctx: HandlerCtx,
) => Awaitable<ReadonlyDeep<Static<S>>>;
/** A row that is not what the API shows needs a view. */
type ViewIfNeeded<Id extends string, C extends Columns, S extends TSchema> =
  RowOfDef<Id, C> extends ReadonlyDeep<Static<S>> ? unknown : { readonly view: View<Id, C, S> };

interface ResourceDef<Id extends string, C extends Columns, S extends TSchema> {
  /** The operation ids begin with it: `faqs`, or `shipping.rules`. */
  readonly id: string;
  /** The path below the base path of the module; default: as the id says, `/rules` or nothing. */
  readonly path?: string;
  /** What a row is called in texts: `shipping rule`. */
  readonly one: string;
  /** What rows are called; default: `one` with an s. */
  readonly many?: string;
  readonly kind: IdKind;
  /** Area of the permissions. */
  readonly area: Area;
  /** Default: `seller`. */
  readonly auth?: SellerAccess['auth'];
  readonly table: ResourceTable<Id, C>;
  readonly schema: S;
  readonly example: Static<S>;
  /** A row as the API shows it; default: as it is stored. */
  readonly view?: View<Id, C, S>;
  /** The rows that the API shows; default: all. */
  readonly only?: Part;
  /** Locks the row before it changes; default: `for update`. */
  readonly lock?: (ctx: HandlerCtx, id: string) => Promise<RowIn<ResourceTable<Id, C>> | undefined>;
}

interface VerbDef {
  readonly description?: string;
  readonly errors?: readonly ErrorDef[];
  /** What the route requires in addition to the permission: a plan feature, a limit. */
  readonly access?: Partial<Pick<SellerAccess, 'plan' | 'limit' | 'rate' | 'idempotency' | 'permission'>>;
}

interface WriteDef<S extends TSchema> extends VerbDef {
  /** The event that the transaction of the change emits, with the object. */
  readonly emits?: EventOf<Static<S>>;
}

interface BodyDef<B extends TSchema> {
  readonly body: B;
  readonly example: Static<B>;
}

interface ListDef<C extends Columns, F extends TProperties> extends VerbDef {
  /** Columns that are never null. */
  readonly order?: readonly (keyof C & string)[];
  /** Query parameters. One with the name of a column selects the rows with its value, or with one of its values. */
  readonly filters?: F;
  /** Conditions for the other parameters. */
  readonly where?: (filters: Static<TObject<F>>) => Part | undefined;
}

/** The first values of a new row. */
type Fresh<Id extends string> = { readonly [N in Id]: string } & Tracked;

interface CreateDef<Id extends string, C extends Columns, S extends TSchema, B extends TSchema>
  extends WriteDef<S>,
    BodyDef<B> {
  /** Makes the new row. */
  readonly run: (ctx: HandlerCtx, body: Static<B>, fresh: Fresh<Id>) => Awaitable<RowOfDef<Id, C>>;
}

interface UpdateDef<Id extends string, C extends Columns, S extends TSchema, B extends TSchema>
  extends WriteDef<S>,
    BodyDef<B> {
  /** Returns the columns to change. */
  readonly run: (
    ctx: HandlerCtx,
    before: RowOfDef<Id, C>,
    body: Static<B>,
  ) => Awaitable<Partial<RowOfDef<Id, C>>>;
}

interface MoveDef<Id extends string, C extends Columns, S extends TSchema> extends WriteDef<S> {
  /** The last part of the id and of the path: `publish`. */
  readonly verb: string;
  readonly summary: string;
  /** Returns the columns to change; throws to refuse the move. */
  readonly run: (ctx: HandlerCtx, before: RowOfDef<Id, C>) => Awaitable<Partial<RowOfDef<Id, C>>>;
}

interface DeleteDef<Id extends string, C extends Columns, S extends TSchema> extends WriteDef<S> {
  /** Runs before the deletion; throws to refuse it. */
  readonly run?: (ctx: HandlerCtx, row: RowOfDef<Id, C>) => Awaitable<unknown>;
  /** Runs instead of deleting the row. */
  readonly remove?: (ctx: HandlerCtx, row: RowOfDef<Id, C>) => Promise<void>;
}

type KeyOf<Id extends string, C extends Columns> = Parameters<ResourceTable<Id, C>['find']>[1];
type RowOfDef<Id extends string, C extends Columns> = RowIn<ResourceTable<Id, C>>;

/** The condition that a column has the value of a filter, or one of its values. */
function isOneOf(name: string, column: Column<never>, value: unknown): Part {
  if (!Array.isArray(value)) return part`${raw(name)} = ${value}`;
  const { sql, arraySql = 'text' } = column;
  return part`${raw(name)} = any(${encodeArray(column, value as never[])}::${raw(`${arraySql}[]::${sql}[]`)})`;
}

const FOUND = [coreErrors.not_found];
const CHANGED = [coreErrors.not_found, coreErrors.precondition_failed];
export const NoFields = Type.Object({}, { title: 'NoFields', description: 'An empty object.' });
const TAG_FOR_CHANGES = 'Send its `ETag` as `If-Match` with a change.';

/** @see resource */
class Resource<Id extends string, C extends Columns, S extends TSchema> {
  private readonly def: ResourceDef<Id, C, S>;
  private readonly view: View<Id, C, S>;
  private readonly key: Id;
  private readonly pattern: RegExp;
  private readonly path: string;
  private readonly one: { readonly path: string; readonly params: TObject };
  private readonly ok: { status: 200; description: string; schema: S; example: Static<S> };

  constructor(def: ResourceDef<Id, C, S>) {
    const [key] = def.table.key;
    if (key === undefined) throw new Error(`${def.id} has no key`);
    this.def = def;
    this.view = def.view ?? ((row) => row as never);
    this.key = key;
    this.pattern = new RegExp(idPattern(def.kind));
    const [, part] = def.id.split('.');
    this.path = def.path ?? (part === undefined ? '' : `/${part}`);
    this.one = {
      path: `${this.path}/{${key}}`,
      params: Type.Object({ [key]: Type.String({ description: `Id of the ${def.one}, \`${def.kind}…\`` }) }),
    };
    this.ok = { status: 200, description: `The ${def.one}`, schema: def.schema, example: def.example };
  }

  /** Newest first, unless `order` names columns. The key comes last, so that no two rows have the same position. */
  list<const F extends TProperties = Record<never, never>>(verb: ListDef<C, F> = {}): AnyRoute {
    const { id, one, many = `${one}s`, area, auth, table, schema, example, only } = this.def;
    const { order: named = [], filters, where, errors = [] } = verb;
    const order = [...named, this.key];
    const columns: Columns = table.columns;
    const orderless = named.filter((name) => columns[name]?.nullable === true);
    if (orderless.length > 0) throw new Error(`${id}.list cannot be ordered by ${orderless}: it may be null`);
    const lists = Object.keys(filters ?? {}).filter((name) => columns[name]?.sql.endsWith('[]') === true);
    if (lists.length > 0) throw new Error(`${id}.list needs a condition for ${lists}: the column is a list`);
    return pageRoute({
      id: `${id}.list`,
      ...(named.length > 0 && { order: named.join() }),
      path: this.path,
      summary: `List ${many}`,
      description:
        verb.description ?? (named.length > 0 ? `In the order of ${named.join(', ')}.` : 'Newest first.'),
      access: { ...reads(area, auth), ...verb.access },
      ...(filters && { filters }),
      schema,
      example,
      errors,
      read: (ctx, page) => {
        const equal = Object.entries(page.filters as Readonly<Record<string, unknown>>).flatMap(
          ([name, value]) => {
            const column = columns[name];
            return value === undefined || column === undefined ? [] : [isOneOf(name, column, value)];
          },
        );
        return table.page(ctx, {
          ...page,
          where: allOf(only, ...equal, where?.(page.filters)),
          order,
          descending: named.length === 0,
        });
      },
      position: (row) => order.map((name) => (row as Readonly<Record<string, string | number>>)[name] ?? ''),
      view: this.view,
    });
  }

  get(verb: VerbDef = {}): AnyRoute {
    const { id, one, area, auth } = this.def;
    return defineRoute({
      ...this.one,
      id: `${id}.get`,
      method: 'GET',
      summary: `Read a ${one}`,
      description: verb.description ?? TAG_FOR_CHANGES,
      access: { ...reads(area, auth), ...verb.access },
      ok: [this.ok],
      errors: [...FOUND, ...(verb.errors ?? [])],
      handler: async (ctx, { params }) => this.answer(ctx, await this.require(ctx, params)),
    });
  }

  create<B extends TSchema>(verb: CreateDef<Id, C, S, B>): AnyRoute {
    const { id, one, area, auth, kind, table } = this.def;
    const { body: schema, example, emits, run, errors = [] } = verb;
    return defineRoute({
      id: `${id}.create`,
      method: 'POST',
      path: this.path,
      summary: `Create a ${one}`,
      description: verb.description ?? 'Answers with its `Location` and `ETag`.',
      access: { ...writes(area, auth), ...verb.access },
      body: { kind: 'json', schema, example },
      ok: [{ ...this.ok, status: 201, description: 'Created; `Location` and `ETag` name it' }],
      errors: [coreErrors.conflict, ...errors],
      handler: async (ctx, request) => {
        const fresh = { [this.key]: ctx.ids.next(kind), ...firstVersion(ctx.at()) };
        const row = await run(ctx, request.body, fresh as Fresh<Id>);
        if (!(await table.insert(ctx, row))) throw fail(coreErrors.conflict);
        const location = `${request.path}/${this.idIn(row)}`;
        return { ...(await this.answer(ctx, row, emits)), status: 201, headers: { location } };
      },
    });
  }

  /** The row keeps what the body leaves out. */
  update<B extends TSchema>(verb: UpdateDef<Id, C, S, B>): AnyRoute {
    const { id, one, area, auth, table } = this.def;
    const { body: schema, example, emits, run, errors = [] } = verb;
    return defineRoute({
      ...this.one,
      id: `${id}.update`,
      method: 'PATCH',
      summary: `Change a ${one}`,
      description: verb.description ?? 'A field that the body leaves out keeps its value.',
      access: { ...writes(area, auth), ...verb.access },
      body: { kind: 'json', schema, example },
      ok: [this.ok],
      errors: [...CHANGED, coreErrors.conflict, ...errors],
      handler: async (ctx, { params, headers, body }) => {
        const before = await this.requireVersion(ctx, params, headers);
        const change = await run(ctx, before, body);
        // A request that changes nothing makes no version and no event.
        const changed_fields = changedFields(before, change);
        if (changed_fields.length === 0) return this.answer(ctx, before);
        ctx.audit({ changed_fields });
        const after = await writeVersion(table, ctx, before, change);
        return this.answer(ctx, after, emits);
      },
    });
  }

  /** A POST to `{id}/{verb}` with an empty body. A move that changes nothing makes no version and no event. */
  move(def: MoveDef<Id, C, S>): AnyRoute {
    const { id, area, auth, table } = this.def;
    const { verb, summary, emits, run, errors = [] } = def;
    return defineRoute({
      ...this.one,
      path: `${this.one.path}/${verb}`,
      id: `${id}.${verb}`,
      method: 'POST',
      summary,
      description: def.description ?? 'The body is an empty object.',
      access: { ...writes(area, auth), ...def.access },
      body: { kind: 'json', schema: NoFields, example: {} },
      ok: [this.ok],
      errors: [...CHANGED, coreErrors.conflict, ...errors],
      handler: async (ctx, { params, headers }) => {
        const before = await this.requireVersion(ctx, params, headers);
        const change = await run(ctx, before);
        const changed_fields = changedFields(before, change);
        if (changed_fields.length === 0) return this.answer(ctx, before);
        ctx.audit({ changed_fields });
        return this.answer(ctx, await writeVersion(table, ctx, before, change), emits);
      },
    });
  }

  delete(verb: DeleteDef<Id, C, S> = {}): AnyRoute {
    const { id, one, area, auth, table } = this.def;
    const { emits, run, remove, errors = [] } = verb;
    return defineRoute({
      ...this.one,
      id: `${id}.delete`,
      method: 'DELETE',
      summary: `Delete a ${one}`,
      description: verb.description ?? 'Afterwards its id answers 404.',
      access: { ...writes(area, auth), idempotency: 'none', ...verb.access },
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

  /** Reads a row or throws 404. An id of another shape is 404 without a query. */
  private async require(ctx: HandlerCtx, params: unknown, locks = false): Promise<RowOfDef<Id, C>> {
    const { table, only, lock } = this.def;
    const id = String((params as Readonly<Record<string, unknown>>)[this.key]);
    if (!this.pattern.test(id)) throw fail(coreErrors.not_found);
    const tail = part`${raw(this.key)} = ${id} and ${allOf(only)} ${raw(locks ? 'for update' : '')}`;
    const row =
      locks && lock !== undefined ? await lock(ctx, id) : await ctx.db.one(table.select(ctx.seller_id, tail));
    if (row === undefined) throw fail(coreErrors.not_found);
    return row;
  }

  /** Reads the row, locks it, and checks its version against `If-Match`. */
  private async requireVersion(
    ctx: HandlerCtx,
    params: unknown,
    headers: Parameters<typeof checkIfMatch>[0],
  ) {
    const row = await this.require(ctx, params, true);
    checkIfMatch(headers, this.tagOf(row));
    return row;
  }

  /** Makes the answer from the row, and emits the declared event. */
  private async answer(
    ctx: HandlerCtx,
    row: RowOfDef<Id, C>,
    emits?: EventOf<Static<S>>,
  ): Promise<RouteResult<never>> {
    const body = await this.view(row, ctx);
    if (emits !== undefined) {
      const { version } = row as Tracked;
      await ctx.emit(emits.of(body as Static<S>, { object_id: this.idIn(row), version }));
    }
    // The answer may show more than the row, so the version alone does not identify it.
    return { body: body as never, etag: shownTag(this.tagOf(row), body as object) };
  }
}

/** @returns one maker for each verb */
export const resource = <const Id extends string, C extends Columns, S extends TSchema>(
  def: ResourceDef<Id, C, S> & ViewIfNeeded<Id, C, S>,
): Resource<Id, C, S> => new Resource(def);
