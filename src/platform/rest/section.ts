/** A part of which there is one: read with an entity tag, changed field by field under `If-Match`. */
import { isDeepStrictEqual } from 'node:util';
import type { Static, TObject } from 'typebox';
import type { SellerCtx } from '../../kernel/context.ts';
import { sha256Hex } from '../../kernel/digest.ts';
import { coreErrors, type ErrorDef } from '../../kernel/errors.ts';
import type { Area } from '../../kernel/permissions.ts';
import type { AnyRoute, ReadonlyDeep, RouteResult } from '../../kernel/route.ts';
import { defineRoute, type WithServices } from '../http/define-route.ts';
import { checkIfMatch } from '../http/etag.ts';
import { reads, writes } from './access.ts';

/** Enough of the digest that two states of one section never share a tag. */
const TAG_CHARS = 24;
const tagOf = (view: unknown): string => sha256Hex(JSON.stringify(view)).slice(0, TAG_CHARS);

type Ctx = SellerCtx & WithServices;

export interface SectionDef<V extends TObject, P extends TObject, Row> {
  /** Beginning of the operation ids: `sellers.holiday`. */
  readonly id: string;
  readonly path: string;
  /** What it is called in texts: `holiday closing`. */
  readonly one: string;
  readonly description: string;
  /** Area of the permissions. */
  readonly area: Area;
  readonly view: V;
  readonly viewExample: Static<V>;
  readonly patch: P;
  readonly patchExample: Static<P>;
  readonly errors?: readonly ErrorDef[];
  /** Reads the present state; locked when it is about to change. */
  readonly read: (ctx: Ctx, lock: boolean) => Promise<Row>;
  readonly show: (row: Row, ctx: Ctx) => ReadonlyDeep<Static<V>>;
  /**
   * What the patch makes of it. An absent field stays, null clears, an object is replaced as a whole.
   *
   * @throws ApiError 422
   */
  readonly change: (row: Row, patch: Static<P>, ctx: Ctx) => Partial<Row>;
  /** Writes what differs, and tells of it. */
  readonly write: (ctx: Ctx, before: Row, change: Partial<Row>) => Promise<void>;
}

/** Declares the GET and the PATCH of a section. */
export function section<V extends TObject, P extends TObject, Row extends object>(
  def: SectionDef<V, P, Row>,
): AnyRoute[] {
  const { id, path, one, area, view, patch, errors = [], read, show, change, write } = def;
  const answer = (row: Row, ctx: Ctx): RouteResult<never> => {
    const body = show(row, ctx);
    return { body: body as never, etag: tagOf(body) };
  };
  const ok = [{ status: 200, description: `The ${one}`, schema: view, example: def.viewExample }] as const;
  return [
    defineRoute({
      id: `${id}.get`,
      method: 'GET',
      path,
      summary: `Read the ${one}`,
      access: reads(area),
      ok,
      errors: [],
      handler: async (ctx): Promise<RouteResult<never>> => answer(await read(ctx, false), ctx),
    }),
    defineRoute({
      id: `${id}.update`,
      method: 'PATCH',
      path,
      summary: `Change the ${one}`,
      description: `${def.description} An absent field stays as it is, null clears it, an object is replaced as a whole. With If-Match the change is refused (412) when another request was first.`,
      access: writes(area),
      body: { kind: 'json', schema: patch, example: def.patchExample },
      ok,
      errors: [coreErrors.precondition_failed, ...errors],
      handler: async (ctx, { body, headers }): Promise<RouteResult<never>> => {
        const before = await read(ctx, true);
        checkIfMatch(headers, tagOf(show(before, ctx)));
        const changed = change(before, body, ctx);
        if (isDeepStrictEqual({ ...before, ...changed }, before)) return answer(before, ctx);
        await write(ctx, before, changed);
        return answer(await read(ctx, false), ctx);
      },
    }),
  ];
}
