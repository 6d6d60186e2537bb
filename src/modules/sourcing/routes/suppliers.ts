import Type from 'typebox';
import { coreErrors, requireFound } from '../../../kernel/errors.ts';
import { searchWords } from '../../../kernel/fold-text.ts';
import { STORABLE } from '../../../kernel/schema.ts';
import { defineRoute } from '../../../platform/http/define-route.ts';
import { reads } from '../../../platform/rest/access.ts';
import { pageRoute } from '../../../platform/rest/page-route.ts';
import { listedSupplier, suppliersPage } from '../../supply/index.ts';
import { SUPPLIER_EXAMPLE, Supplier, toWireSupplier } from '../schemas/suppliers.ts';

const area = 'purchasing';
const params = Type.Object({ supplier_id: Type.String({ description: 'Id of the supplier, `sup_…`' }) });
const wanted = (description: string) =>
  Type.Optional(Type.String({ maxLength: 400, ...STORABLE, description }));

export const supplierRoutes = [
  pageRoute({
    id: 'sourcing.suppliers.list',
    path: '/suppliers',
    summary: 'List suppliers',
    description: 'By name. Suppliers publish themselves to every seller.',
    access: reads(area),
    filters: {
      q: wanted(
        'Words to find in name, description and categories. All words must occur; accents and case do not matter',
      ),
      category: wanted('Suppliers of this category or of one below it, `Home > Kitchen`'),
      ships_from: wanted('Suppliers whose goods come from this state or country, `NSW` or `AU`'),
      dropship: Type.Optional(
        Type.Boolean({ description: 'Suppliers with items that they send to your buyers, or all others' }),
      ),
    },
    schema: Supplier,
    example: SUPPLIER_EXAMPLE,
    read: ({ db }, { filters: { q, ...filters }, after, limit }) =>
      suppliersPage(db, { ...filters, words: searchWords(q) }, after, limit),
    position: ({ name, supplier_id }) => [name, supplier_id],
    view: toWireSupplier,
  }),
  defineRoute({
    id: 'sourcing.suppliers.get',
    method: 'GET',
    path: '/suppliers/{supplier_id}',
    params,
    summary: 'Read a supplier',
    description: 'How it sells, and where its goods come from.',
    access: reads(area),
    ok: [{ status: 200, description: 'The supplier', schema: Supplier, example: SUPPLIER_EXAMPLE }],
    errors: [coreErrors.not_found],
    handler: async ({ db }, { params: { supplier_id } }) => {
      const row = requireFound(await listedSupplier(db, supplier_id));
      const body = toWireSupplier(row);
      return { body, etag: { version: `${supplier_id}.${row.updated_at}`, shown: body } };
    },
  }),
];
