import Type, { type Static } from 'typebox';
import { Instant, NOT_BLANK, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { trackedExample, trackedSchema } from '../../../kernel/tracked.ts';
import { RFQ_STATUSES, rfqMachine } from '../domain/rfq-machine.ts';
import type { RfqRow } from '../store.ts';

export const LINES_MAX = 50;
export const SUPPLIERS_MAX = 10;
const QUANTITY_MAX = 1_000_000;
const NOTE_CHARS_MAX = 2_000;

export const id = (description: string) => Type.String({ minLength: 1, maxLength: 100, description });
const words = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, ...NOT_BLANK, description });
export const count = (description: string, minimum = 0) => Type.Integer({ minimum, description });
export const quantity = (description: string) =>
  Type.Integer({ minimum: 1, maximum: QUANTITY_MAX, description });
export const amount = (description: string) => Type.Integer({ minimum: 0, description });

const item = Nullable(id('An item of a supplier, `sit_…`'));
const description = Nullable(
  words(500, 'What is wanted, in words; needed if one of the suppliers does not offer the item'),
);
const product = Nullable(id('The product of yours that it is for, `prd_…`'));
const needOn = Nullable(Type.String({ format: 'date', description: 'The day on which it is needed' }));
export const wanted = quantity('Units that are wanted');
export const lineNo = count('Number of the line, from 1', 1);

const RfqLineInput = Type.Object(
  {
    supplier_item_id: Type.Optional(item),
    description: Type.Optional(description),
    product_id: Type.Optional(product),
    quantity: wanted,
    need_on: Type.Optional(needOn),
  },
  { title: 'RfqLineInput', description: 'What is wanted: an item of a supplier, or words, or both.' },
);
const RfqLine = Type.Object(
  {
    ...{ line_no: lineNo, supplier_item_id: item, description, product_id: product },
    ...{ quantity: wanted, need_on: needOn },
  },
  { title: 'RfqLine', description: 'What is wanted.' },
);

const title = words(200, 'What it is about; suppliers read it');
const suppliers = Type.Array(id('Id of a supplier, `sup_…`'), {
  ...{ minItems: 1, maxItems: SUPPLIERS_MAX, uniqueItems: true },
  description: 'The suppliers that are asked; none of them learns about the others',
});
const replyBy = Instant({ description: 'Until when suppliers may quote: 24 hours to 30 days ahead' });
const shipTo = Type.Object(
  {
    state: Type.String({ maxLength: 40, description: 'State or territory of Australia' }),
    postcode: Type.String({ maxLength: 16, description: 'Postcode of the state' }),
  },
  { title: 'RfqDestination', description: 'Where the goods go. Suppliers learn no street before an order.' },
);
const note = Nullable(words(NOTE_CHARS_MAX, 'What suppliers should know'));
export const currency = Type.String({ description: 'Currency of all amounts, ISO 4217' });
const fields = {
  ...{ title, suppliers, reply_by: replyBy, ship_to: shipTo },
  lines: Type.Array(RfqLineInput, { minItems: 1, maxItems: LINES_MAX, description: 'What is wanted' }),
};

export const RfqInput = Type.Object(
  { ...fields, note: Type.Optional(note) },
  { title: 'RfqInput', description: 'A new request for quotation.' },
);
export type RfqInput = Static<typeof RfqInput>;
export const RfqChange = Type.Partial(Type.Object({ ...fields, note }), {
  title: 'RfqChange',
  description: 'The fields to change; `lines` replaces all lines.',
  minProperties: 1,
});
export type RfqChange = Static<typeof RfqChange>;

export const rfqStatus = StringEnum(RFQ_STATUSES, {
  title: 'RfqStatus',
  description: 'Where the request stands; `answered`: it takes no more quotes and can be awarded',
});
export const Rfq = trackedSchema(
  'rfq_id',
  {
    ...{ kind: 'rfq_', one: 'request', title: 'Rfq' },
    description: 'A request for quotation to several suppliers at once.',
  },
  {
    ...{ title, suppliers, reply_by: replyBy, ship_to: shipTo, note, currency, status: rfqStatus },
    lines: Type.Array(RfqLine, { description: 'What is wanted' }),
    quotes: count('Quotes that were not withdrawn'),
    allowed_actions: Type.Array(Type.String(), { description: 'What you can do now' }),
  },
);
type WireRfq = Static<typeof Rfq>;

export const SUPPLIER = { supplier_id: 'sup_01j0000000000000000000000', name: 'Bondi Clay Works' };
export const ITEM_ID = 'sit_01j0000000000000000000000';
const PRODUCT_ID = 'prd_01j0000000000000000000000';
export const RFQ_INPUT_EXAMPLE: RfqInput = {
  title: 'Mugs for winter',
  lines: [{ description: 'Stoneware mug, blue, 350 ml', quantity: 100, need_on: '2026-08-10' }],
  suppliers: [SUPPLIER.supplier_id],
  reply_by: '2026-07-10T07:00:00.000Z',
  ship_to: { state: 'NSW', postcode: '2000' },
};
export const RFQ_EXAMPLE: WireRfq = trackedExample('rfq_id', 'rfq_', {
  ...{ ...RFQ_INPUT_EXAMPLE, note: null, currency: 'AUD', status: 'open' as const, quotes: 1 },
  lines: [
    {
      ...{ line_no: 1, supplier_item_id: ITEM_ID, description: 'Stoneware mug, blue, 350 ml' },
      ...{ product_id: PRODUCT_ID, quantity: 100, need_on: '2026-08-10' },
    },
  ],
  allowed_actions: ['withdraw', 'award'],
});

export const toWire = ({ supplier_ids, lines, ship_to, ...row }: RfqRow): WireRfq => ({
  ...{
    ...row,
    suppliers: [...supplier_ids],
    ship_to: { ...ship_to },
    lines: lines.map((line) => ({ ...line })),
  },
  allowed_actions: rfqMachine.eventsFrom(row.status, 'seller'),
});

export const supplier = Type.Object(
  { supplier_id: id('Id of the supplier, `sup_…`'), name: Type.String({ description: 'Its name' }) },
  { title: 'QuotingSupplier', description: 'The supplier that has quoted.' },
);

/** A request as one supplier may see it: without the other suppliers, the seller's products and a street. */
export const SupplierRequest = Type.Object(
  {
    rfq_id: id('Id of the request, `rfq_…`'),
    supplier: Type.Object(
      {
        ...supplier.properties,
        external_id: Nullable(Type.String({ description: 'The marketplace’s own id of it, if it has one' })),
      },
      { title: 'AskedSupplier', description: 'The supplier that is asked.' },
    ),
    ...{ title, reply_by: replyBy, ship_to: shipTo, note, currency },
    lines: Type.Array(
      Type.Object(
        {
          line_no: lineNo,
          supplier_sku: Nullable(
            Type.String({ description: 'The supplier’s own item; null: described in words' }),
          ),
          ...{ description, quantity: wanted, need_on: needOn },
        },
        { title: 'SupplierRequestLine', description: 'What is wanted.' },
      ),
      { description: 'What is wanted' },
    ),
    status: rfqStatus,
    version: count('Counts the changes, from 1', 1),
  },
  { title: 'SupplierRequest', description: 'A request for quotation as one supplier sees it.' },
);
export type SupplierRequest = Static<typeof SupplierRequest>;
export const SUPPLIER_REQUEST_EXAMPLE: SupplierRequest = {
  ...{ rfq_id: RFQ_EXAMPLE.rfq_id, supplier: { ...SUPPLIER, external_id: null }, title: RFQ_EXAMPLE.title },
  ...{ reply_by: RFQ_EXAMPLE.reply_by, ship_to: RFQ_EXAMPLE.ship_to, note: null, currency: 'AUD' },
  lines: [
    {
      ...{ line_no: 1, supplier_sku: 'BC-MUG-BLU', description: 'Stoneware mug, blue, 350 ml' },
      ...{ quantity: 100, need_on: '2026-08-10' },
    },
  ],
  ...{ status: 'open', version: 2 },
};
