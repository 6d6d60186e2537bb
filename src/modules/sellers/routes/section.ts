/** A section of the seller: read with an entity tag, changed field by field, never lost to a second writer. */

import { isDeepStrictEqual } from 'node:util';
import type { Static, TObject } from 'typebox';
import type { Clock } from '../../../kernel/context.ts';
import { sha256Hex } from '../../../kernel/digest.ts';
import { coreErrors, fail } from '../../../kernel/errors.ts';
import type { AnyRoute } from '../../../kernel/route.ts';
import { looseRoute as defineRoute } from '../../../platform/http/define-route.ts';
import { checkIfMatch } from '../../../platform/http/etag.ts';
import {
  findSeller,
  lockSeller,
  type SellerChange,
  type SellerRow,
  writeSeller,
} from '../store/seller-row.ts';

/** Enough of the digest that two states of one section never share a tag. */
const ETAG_CHARS = 24;

export interface SectionDef<V extends TObject, P extends TObject> {
  readonly id: string;
  readonly path: string;
  readonly title: string;
  readonly description: string;
  readonly view: V;
  readonly patch: P;
  readonly viewExample: Static<V>;
  readonly patchExample: Static<P>;
  /** The section as it is answered. */
  readonly show: (row: SellerRow, now: Clock) => Static<V>;
  /**
   * What the patch changes. An absent field stays, null clears, an object is replaced as a whole.
   *
   * @throws ApiError 422
   */
  readonly change: (row: SellerRow, patch: Static<P>) => SellerChange;
}

const tagOf = (view: unknown): string => sha256Hex(JSON.stringify(view)).slice(0, ETAG_CHARS);

/** The GET and the PATCH of a section. */
export function sectionRoutes<V extends TObject, P extends TObject>(section: SectionDef<V, P>): AnyRoute[] {
  const { id, path, title, view, viewExample } = section;
  const answer = (row: SellerRow, now: Clock) => {
    const body = section.show(row, now);
    return { body, etag: tagOf(body) };
  };
  const ok = [{ status: 200, description: title, schema: view, example: viewExample }] as const;
  return [
    defineRoute({
      id: `sellers.${id}.get`,
      method: 'GET',
      path,
      summary: `Read the ${title.toLowerCase()}`,
      access: { auth: 'seller', permission: 'settings:read', rate: 'read', idempotency: 'none' },
      ok,
      errors: [],
      handler: async (ctx) => answer(present(await findSeller(ctx.db, ctx.seller.seller_id)), ctx.now),
    }),
    defineRoute({
      id: `sellers.${id}.update`,
      method: 'PATCH',
      path,
      summary: `Change the ${title.toLowerCase()}`,
      description: `${section.description} An absent field stays as it is, null clears it, an object is replaced as a whole. With If-Match the change is refused (412) when somebody else was first.`,
      access: { auth: 'seller', permission: 'settings:write', rate: 'write', idempotency: 'optional' },
      body: { kind: 'json', schema: section.patch, example: section.patchExample },
      ok,
      errors: [coreErrors.precondition_failed],
      handler: async (ctx, { body, headers }) => {
        const row = present(await lockSeller(ctx.db, ctx.seller.seller_id));
        checkIfMatch(headers, tagOf(section.show(row, ctx.now)));
        const change = section.change(row, body);
        if (isDeepStrictEqual({ ...row, ...change }, row)) return answer(row, ctx.now);
        await writeSeller(ctx.db, row, change, ctx.now());
        return answer(present(await findSeller(ctx.db, ctx.seller.seller_id)), ctx.now);
      },
    }),
  ];
}

function present(row: SellerRow | undefined): SellerRow {
  if (row === undefined) throw fail(coreErrors.not_found);
  return row;
}
