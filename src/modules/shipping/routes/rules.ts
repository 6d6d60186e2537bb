import Type, { type Static } from 'typebox';
import { pageOf } from '../../../kernel/cursor.ts';
import { coreErrors } from '../../../kernel/errors.ts';
import { PAGE_LIMIT_DEFAULT, Page, pageQuery } from '../../../kernel/schema.ts';
import { looseRoute as defineRoute } from '../../../platform/http/define-route.ts';
import { changeRule, createRule, removeRule } from '../actions/save-rule.ts';
import { ofObject, shippingErrors } from '../errors.ts';
import { resource } from '../http/resource.ts';
import { RULE_EXAMPLE, RULE_INPUT_EXAMPLE, Rule, RuleChange, RuleInput } from '../schemas/rule.ts';
import { findRule, listRules, type RuleRow } from '../store/rules.ts';
import { read, write } from './access.ts';

const params = Type.Object({ rule_id: Type.String() });
const view = (row: RuleRow): Static<typeof Rule> => ({
  ...row,
  skus: [...row.skus],
  sku_prefixes: [...row.sku_prefixes],
  categories: [...row.categories],
});
const rules = resource({
  kind: 'shippingRule',
  id: 'rule_id',
  path: '/shipping/rules',
  view: (_ctx, row: RuleRow) => view(row),
});
const rule = { status: 200, description: 'The rule', schema: Rule, example: RULE_EXAMPLE };

const list = defineRoute({
  id: 'shipping.rules.list',
  method: 'GET',
  path: '/rules',
  summary: 'List shipping rules',
  description: 'Which products go by which profile, in the order in which the rules decide.',
  access: read,
  query: Type.Object({ profile_id: Type.Optional(Type.String({ maxLength: 100 })), ...pageQuery }),
  ok: [
    {
      status: 200,
      description: 'One page',
      schema: Page(Rule),
      example: { data: [RULE_EXAMPLE], page: { limit: 50, next_cursor: null, has_more: false } },
    },
  ],
  errors: [],
  handler: async (ctx, { query }) => {
    const { limit = PAGE_LIMIT_DEFAULT, cursor, ...filters } = query;
    const { seller_id } = ctx.seller;
    const { cursors } = ctx.services;
    const scope = { seller_id, route: 'shipping.rules.list', filters };
    const [position, id] = cursor === undefined ? [] : cursors.decode(scope, cursor);
    const after = id === undefined ? undefined : { position: Number(position), rule_id: String(id) };
    const rows = await listRules(ctx.db, seller_id, { ...filters, after, limit });
    const { data, page } = pageOf(rows, limit, (last) =>
      cursors.encode(scope, [last.position, last.rule_id]),
    );
    return { body: { data: data.map(view), page } };
  },
});

const get = defineRoute({
  id: 'shipping.rules.get',
  method: 'GET',
  path: '/rules/{rule_id}',
  summary: 'Read a shipping rule',
  access: read,
  params,
  ok: [rule],
  errors: [coreErrors.not_found],
  handler: async (ctx, request) => {
    const id = rules.idFrom(request.params);
    return rules.answer(ctx, await findRule(ctx.db, ctx.seller.seller_id, id));
  },
});

const create = defineRoute({
  id: 'shipping.rules.create',
  method: 'POST',
  path: '/rules',
  summary: 'Create a shipping rule',
  description:
    'Sends products by another profile than the default one: those with a SKU, a beginning of a SKU, or a category.',
  access: write,
  body: { kind: 'json', schema: RuleInput, example: RULE_INPUT_EXAMPLE },
  ok: [{ ...rule, status: 201, description: 'Created; `Location` and `ETag` name it' }],
  errors: [shippingErrors.rule_limit],
  handler: async (ctx, { body }) => rules.created(ctx, await createRule(ctx, body)),
});

const update = defineRoute({
  id: 'shipping.rules.update',
  method: 'PATCH',
  path: '/rules/{rule_id}',
  summary: 'Change a shipping rule',
  description: 'What the body leaves out stays; lists are replaced as a whole.',
  access: write,
  params,
  body: { kind: 'json', schema: RuleChange, example: { enabled: false } },
  ok: [{ ...rule, example: { ...RULE_EXAMPLE, enabled: false, version: 2 } }],
  errors: ofObject,
  handler: async (ctx, { params: at, headers, body }) => {
    const change = { change: body, checkVersion: rules.ifMatch(headers) };
    return rules.answer(ctx, await changeRule(ctx, { ruleId: rules.idFrom(at), ...change }));
  },
});

const remove = defineRoute({
  id: 'shipping.rules.delete',
  method: 'DELETE',
  path: '/rules/{rule_id}',
  summary: 'Delete a shipping rule',
  access: { ...write, idempotency: 'none' },
  params,
  ok: [{ status: 204, description: 'Deleted' }],
  errors: ofObject,
  handler: async (ctx, { params: at, headers }) => {
    await removeRule(ctx, rules.idFrom(at), rules.ifMatch(headers));
    return { status: 204 };
  },
});

export const ruleRoutes = [list, get, create, update, remove];
