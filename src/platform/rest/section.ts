/** Routes for an object that each seller has once. GET has an entity tag; PATCH takes `If-Match`. */
import type { Static, TObject } from 'typebox';
import { sha256Hex } from '../../kernel/digest.ts';
import { coreErrors, type ErrorDef } from '../../kernel/errors.ts';
import type { Area } from '../../kernel/permissions.ts';
import type { AnyRoute, ReadonlyDeep, RouteResult, SellerAccess } from '../../kernel/route.ts';
import { changedFields } from '../audit/changed-fields.ts';
import { defineRoute } from '../http/define-route.ts';
import { checkIfMatch, shownTag } from '../http/etag.ts';
import type { HandlerCtx } from '../services.ts';
import { reads, writes } from './access.ts';

/** Characters of the digest; enough that two states of a section never have the same tag. */
const TAG_CHARS = 24;
const tagOf = (view: object, derived: readonly string[]): string => {
  const own = Object.entries(view).filter(([name]) => !derived.includes(name));
  return sha256Hex(JSON.stringify(own)).slice(0, TAG_CHARS);
};

interface SectionDef<V extends TObject, P extends TObject, Row> {
  /** The operation ids begin with it: `sellers.holiday`. */
  readonly id: string;
  readonly path: string;
  /** The name of the section in texts: `holiday closing`. */
  readonly one: string;
  readonly description: string;
  /** Area of the permissions. */
  readonly area: Area;
  /** Default: `seller`. */
  readonly auth?: SellerAccess['auth'];
  readonly view: V;
  readonly viewExample: Static<V>;
  /** Fields of the view that change without a change of the section: `If-Match` does not compare them. */
  readonly derived?: readonly (keyof Static<V> & string)[];
  readonly patch: P;
  readonly patchExample: Static<P>;
  readonly errors?: readonly ErrorDef[];
  /** Reads the present state, and locks it for a change. */
  readonly read: (ctx: HandlerCtx, lock: boolean) => Promise<Row>;
  readonly show: (row: Row, ctx: HandlerCtx) => ReadonlyDeep<Static<V>>;
  /**
   * Applies a patch to the row. An absent field stays, null clears a field, and an object is replaced as a whole.
   *
   * @throws ApiError 422
   */
  readonly change: (row: Row, patch: Static<P>, ctx: HandlerCtx) => Partial<Row>;
  /** Writes the fields that differ, and emits the event. */
  readonly write: (ctx: HandlerCtx, before: Row, change: Partial<Row>) => Promise<void>;
}

/** Declares the GET and the PATCH of a section. */
export function section<V extends TObject, P extends TObject, Row extends object>(
  def: SectionDef<V, P, Row>,
): AnyRoute[] {
  const { id, path, one, area, auth, view, patch, errors = [], read, show, change, write } = def;
  const { derived = [] } = def;
  const answer = (row: Row, ctx: HandlerCtx): RouteResult<never> => {
    const body = show(row, ctx);
    return { body: body as never, etag: shownTag(tagOf(body, derived), body) };
  };
  const ok = [{ status: 200, description: `The ${one}`, schema: view, example: def.viewExample }] as const;
  return [
    defineRoute({
      id: `${id}.get`,
      method: 'GET',
      path,
      tagged: true,
      summary: `Read the ${one}`,
      description: 'Send its `ETag` as `If-Match` with a change.',
      access: reads(area, auth),
      ok,
      errors: [],
      handler: async (ctx): Promise<RouteResult<never>> => answer(await read(ctx, false), ctx),
    }),
    defineRoute({
      id: `${id}.update`,
      method: 'PATCH',
      path,
      summary: `Change the ${one}`,
      description: `${def.description} An absent field stays as it is, null clears it, an object is replaced as a whole. With If-Match the change is refused (412) if another request has changed it since.`,
      access: writes(area, auth),
      body: { kind: 'json', schema: patch, example: def.patchExample },
      ok,
      errors: [coreErrors.precondition_failed, ...errors],
      handler: async (ctx, { body, headers }): Promise<RouteResult<never>> => {
        const before = await read(ctx, true);
        checkIfMatch(headers, tagOf(show(before, ctx), derived));
        const changed = change(before, body, ctx);
        const changed_fields = changedFields(before, changed);
        if (changed_fields.length === 0) return answer(before, ctx);
        ctx.audit({ changed_fields });
        await write(ctx, before, changed);
        return answer(await read(ctx, false), ctx);
      },
    }),
  ];
}
