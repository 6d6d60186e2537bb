import Type from 'typebox';
import { coreErrors, fail, requireFound } from '../../../kernel/errors.ts';
import { nameFilter } from '../../../kernel/schema.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { checkIfMatch, shownTag } from '../../../platform/http/etag.ts';
import { reads, writes } from '../../../platform/rest/access.ts';
import { pageRoute } from '../../../platform/rest/page-route.ts';
import type { HandlerCtx } from '../../../platform/services.ts';
import { syncStock } from '../actions/apply-levels.ts';
import { linkTo, setLinkState } from '../actions/link-variant.ts';
import { showLinks } from '../actions/show-links.ts';
import { channelErrors } from '../errors.ts';
import { LINK_EXAMPLE, Link, LinkStateSchema, type WireLink } from '../schemas/link.ts';
import { type ChannelRow, channels } from '../store/channels.ts';
import { type LinkRow, linkFilter, links } from '../store/links.ts';
import { requireChannel } from './channels.ts';

const { channel_ended, product_already_linked, link_gone, level_unknown, import_running } = channelErrors;

const list = pageRoute({
  id: 'channels.links.list',
  path: '/{channel_id}/links',
  summary: 'List the variants of a store and their products',
  description: 'Newest first, with what both sides state.',
  access: reads('catalogue'),
  params: Type.Object({ channel_id: Type.String({ description: 'Id of the channel, `chn_…`' }) }),
  filters: {
    state: Type.Optional(LinkStateSchema),
    product_id: nameFilter('The variant that is this product'),
    external_product_id: nameFilter('Variants of this product of the store'),
    inventory_item_id: nameFilter('The variant with this item of stock'),
    differs: Type.Optional(
      Type.Boolean({
        description: 'Whether a field here differs from the store',
      }),
    ),
  },
  schema: Link,
  example: LINK_EXAMPLE,
  errors: [coreErrors.not_found],
  read: async (ctx, { filters, ...page }, { channel_id = '' }): Promise<readonly WireLink[]> => {
    const channel = requireFound(await channels.find(ctx, { channel_id }));
    const rows = await links.page(ctx, {
      ...page,
      where: linkFilter(ctx.seller_id, channel_id, filters),
      order: ['link_id'],
      descending: true,
    });
    return showLinks(ctx, channel, rows);
  },
  position: ({ link_id }) => [link_id],
  view: (link) => link,
});

const Change = Type.Object(
  {
    product_id: Type.Optional(
      Type.Union([Type.String({ maxLength: 100 }), Type.Null()], {
        description: 'The product; null: it is unlinked',
      }),
    ),
    state: Type.Optional(
      Type.Union([Type.Literal('ignored'), Type.Literal('unlinked')], {
        description: '`ignored`: nothing is applied, and no issue is opened',
      }),
    ),
  },
  {
    title: 'ChannelLinkChange',
    description: 'Its product, or its state.',
    minProperties: 1,
    maxProperties: 1,
  },
);

const tagOf = ({ link_id, version }: LinkRow): string => `${link_id}.${version}`;

/**
 * The link, locked, and its channel, which every change of links locks first.
 *
 * @throws ApiError 404, 409 `channel_ended`: the links of an ended channel are frozen, for a store that comes back
 */
async function requireLink(
  ctx: HandlerCtx,
  link_id: string,
): Promise<{ readonly channel: ChannelRow; readonly link: LinkRow }> {
  const { channel_id } = requireFound(await links.find(ctx, { link_id }));
  const channel = await requireChannel(ctx, channel_id);
  const link = requireFound(await links.find(ctx, { link_id }, 'for update'));
  const { status, status_reason } = channel;
  if (status === 'ended') throw fail(channel_ended, { facts: { status_reason } });
  return { channel, link };
}

/** The answer with a link. */
async function shown(ctx: HandlerCtx, channel: ChannelRow, link: LinkRow) {
  const body = requireFound((await showLinks(ctx, channel, [link]))[0]);
  return { body, etag: shownTag(tagOf(link), body) };
}

const update = defineRoute({
  id: 'channels.links.update',
  method: 'PATCH',
  path: '/links/{link_id}',
  summary: 'Say which product a variant of a store is',
  description:
    'Content and stock then follow the store. What is unlinked here waits for a person; what was ignored is found by the rules again.',
  access: writes('catalogue'),
  params: Type.Object({ link_id: Type.String({ description: 'Id of the link, `lnk_…`' }) }),
  body: { kind: 'json', schema: Change, example: { product_id: 'prd_01j0000000000000000000000' } },
  ok: okJson('The link', Link, LINK_EXAMPLE),
  errors: [
    coreErrors.not_found,
    coreErrors.precondition_failed,
    channel_ended,
    product_already_linked,
    link_gone,
    import_running,
  ],
  handler: async (ctx, { params: { link_id }, body: { product_id, state }, headers }) => {
    const { channel, link } = await requireLink(ctx, link_id);
    checkIfMatch(headers, tagOf(link));
    ctx.audit({ target_type: 'link', target_id: link_id, changed_fields: ['product_id', 'state'] });
    const after =
      product_id != null
        ? await linkTo(ctx, channel, link, product_id)
        : await setLinkState(ctx, channel, link, state ?? 'unlinked');
    return shown(ctx, channel, after);
  },
});

const setStock = defineRoute({
  id: 'channels.stock.set',
  method: 'POST',
  path: '/links/{link_id}/stock-sync',
  summary: 'Set the stock of a product to that of the store',
  description:
    'The store is right, once: the units on hand become the store’s quantity, and what is reserved here comes on top. From then on the stock follows by the mode of the channel.',
  access: writes('catalogue'),
  params: Type.Object({ link_id: Type.String({ description: 'Id of the link, `lnk_…`' }) }),
  ok: okJson('The link', Link, LINK_EXAMPLE),
  errors: [coreErrors.not_found, channel_ended, level_unknown],
  handler: async (ctx, { params: { link_id } }) => {
    const { channel } = await requireLink(ctx, link_id);
    const changes = await syncStock(ctx, channel, link_id);
    if (changes === undefined) throw fail(level_unknown);
    const changed_fields = changes.map(({ field }) => field);
    ctx.audit({ target_type: 'link', target_id: link_id, changed_fields });
    return shown(ctx, channel, requireFound(await links.find(ctx, { link_id })));
  },
});

export const linkRoutes = [list, update, setStock];
