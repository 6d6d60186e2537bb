/**
 * The tables of an order as data: one list of columns makes the reading of all that belongs to an order in one
 * statement, and the writing of what changed in one statement for each table.
 */
import { type Minor, minor, minorToJson } from '../../../kernel/money.ts';
import type {
  CancelRequest,
  Dispute,
  Label,
  Order,
  OrderHead,
  OrderLine,
  OrderReturn,
  Refund,
  RefundLine,
  ReturnLine,
  Scan,
  Shipment,
  ShipmentLine,
} from '../domain/order.ts';

/** How a value of the column travels: amounts are exact, instants end in `Z`. */
type ColumnType = 'text' | 'text[]' | 'int' | 'digits' | 'minor' | 'boolean' | 'json' | 'timestamptz';

export interface Table<Row> {
  readonly name: string;
  readonly key: readonly string[];
  readonly columns: Readonly<Record<keyof Row & string, ColumnType>>;
}

const table = <Row>(
  name: string,
  key: readonly (keyof Row & string)[],
  columns: Table<Row>['columns'],
): Table<Row> => ({ name, key, columns });

export const HEAD = table<OrderHead>('sales_order', ['order_id'], {
  order_id: 'text',
  external_order_id: 'text',
  order_number: 'text',
  status: 'text',
  payment_status: 'text',
  refund_status: 'text',
  attention: 'text[]',
  currency: 'text',
  loyalty: 'boolean',
  items_minor: 'minor',
  shipping_minor: 'minor',
  seller_discount_minor: 'minor',
  total_minor: 'minor',
  buyer_alias: 'text',
  customer_ref: 'text',
  ship_to: 'json',
  awaiting: 'int',
  accepted_open: 'int',
  placed_at: 'timestamptz',
  recorded_at: 'timestamptz',
  accept_by: 'timestamptz',
  acceptance_warned_at: 'timestamptz',
  accepted_at: 'timestamptz',
  expired_at: 'timestamptz',
  dispatch_by: 'timestamptz',
  late_at: 'timestamptz',
  respond_by: 'timestamptz',
  delivered_at: 'timestamptz',
  closes_at: 'timestamptz',
  closed_at: 'timestamptz',
  next_due_at: 'timestamptz',
  captured_minor: 'minor',
  captured_at: 'timestamptz',
  charge_id: 'text',
  provider_fee_minor: 'minor',
  provider_transaction_id: 'text',
  charge_total_minor: 'minor',
  charge_provider_fee_minor: 'minor',
  share_of: 'json',
  placed_facts: 'json',
  search_text: 'text',
  version: 'int',
  updated_at: 'timestamptz',
});

/** What the store keeps of an order beside its own columns. */
export interface StoredHead extends OrderHead {
  /** Names of the parts that it has; see {@link PARTS}. */
  parts: string[];
  parts_version: number;
}

export const STORED_HEAD = table<StoredHead>('sales_order', ['order_id'], {
  ...HEAD.columns,
  parts: 'text[]',
  parts_version: 'int',
});

const LINE = table<OrderLine>('order_line', ['order_line_id'], {
  order_line_id: 'text',
  order_id: 'text',
  line_no: 'int',
  kind: 'text',
  product_id: 'text',
  seller_sku: 'text',
  title: 'text',
  category: 'text',
  status: 'text',
  unit_price_minor: 'minor',
  gross_minor: 'minor',
  discount_minor: 'minor',
  net_minor: 'minor',
  platform_fee_bps: 'int',
  ordered: 'int',
  awaiting: 'int',
  accepted_open: 'int',
  rejected: 'int',
  cancelled: 'int',
  in_transit: 'int',
  delivered: 'int',
  lost: 'int',
  returned: 'int',
  reserved: 'int',
});

const SHIPMENT = table<Shipment>('order_shipment', ['shipment_id'], {
  shipment_id: 'text',
  order_id: 'text',
  status: 'text',
  origin: 'text',
  packages: 'json',
  carrier: 'text',
  service: 'text',
  tracking_number: 'text',
  tracking_url: 'text',
  label_id: 'text',
  dispatched_at: 'timestamptz',
  delivered_at: 'timestamptz',
  tracked_at: 'timestamptz',
  tracked_version: 'digits',
  version: 'int',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
});

const SHIPMENT_LINE = table<ShipmentLine>('order_shipment_line', ['shipment_id', 'order_line_id'], {
  shipment_id: 'text',
  order_line_id: 'text',
  quantity: 'int',
  held: 'int',
});

const LABEL = table<Label>('order_label', ['label_id'], {
  label_id: 'text',
  shipment_id: 'text',
  status: 'text',
  carrier: 'text',
  service: 'text',
  tracking_number: 'text',
  price_minor: 'minor',
  quote_id: 'text',
  option_id: 'text',
  content: 'json',
  created_at: 'timestamptz',
  voided_at: 'timestamptz',
});

const SCAN = table<Scan>('order_tracking', ['shipment_id', 'position'], {
  shipment_id: 'text',
  position: 'int',
  status: 'text',
  at: 'timestamptz',
  location: 'text',
  detail: 'text',
  recorded_at: 'timestamptz',
});

const CANCEL_REQUEST = table<CancelRequest>('order_cancel_request', ['order_id', 'request_id'], {
  request_id: 'text',
  external_request_id: 'text',
  order_id: 'text',
  status: 'text',
  lines: 'json',
  reason: 'text',
  respond_by: 'timestamptz',
  requested_at: 'timestamptz',
  answered_at: 'timestamptz',
  automatic: 'boolean',
});

const RETURN = table<OrderReturn>('order_return', ['order_id', 'return_id'], {
  return_id: 'text',
  external_return_id: 'text',
  order_id: 'text',
  status: 'text',
  respond_by: 'timestamptz',
  requested_at: 'timestamptz',
  answered_at: 'timestamptz',
  received_at: 'timestamptz',
  inspected_at: 'timestamptz',
  closed_at: 'timestamptz',
  reason: 'text',
  detail: 'text',
  version: 'int',
});

const RETURN_LINE = table<ReturnLine>('order_return_line', ['order_id', 'return_id', 'order_line_id'], {
  order_id: 'text',
  return_id: 'text',
  order_line_id: 'text',
  quantity: 'int',
  reason: 'text',
  received: 'int',
  compliant: 'boolean',
  restocked: 'int',
  note: 'text',
});

const REFUND = table<Refund>('order_refund', ['order_id', 'refund_id'], {
  refund_id: 'text',
  external_refund_id: 'text',
  order_id: 'text',
  status: 'text',
  requested_by: 'text',
  amount_minor: 'minor',
  reason: 'text',
  provider_transaction_id: 'text',
  failure_code: 'text',
  created_at: 'timestamptz',
  made_at: 'timestamptz',
  settled_at: 'timestamptz',
  settled_version: 'digits',
  version: 'int',
});

const REFUND_LINE = table<RefundLine>('order_refund_line', ['order_id', 'refund_id', 'order_line_id'], {
  order_id: 'text',
  refund_id: 'text',
  order_line_id: 'text',
  quantity: 'int',
  amount_minor: 'minor',
});

const DISPUTE = table<Dispute>('order_dispute', ['order_id', 'dispute_id'], {
  dispute_id: 'text',
  external_dispute_id: 'text',
  order_id: 'text',
  status: 'text',
  amount_minor: 'minor',
  provider_fee_minor: 'minor',
  returned_fee_minor: 'minor',
  respond_by: 'timestamptz',
  opened_at: 'timestamptz',
  decided_at: 'timestamptz',
  decided_version: 'digits',
  version: 'int',
});

export type ChildName = Exclude<keyof Order, 'head'>;
type RowOf<K extends ChildName> = Order[K] extends (infer Row)[] ? Row : never;

/** In the order in which they must be written: what refers comes after what it refers to. */
export const CHILDREN: { readonly [K in ChildName]: Table<RowOf<K>> } = {
  lines: LINE,
  shipments: SHIPMENT,
  shipment_lines: SHIPMENT_LINE,
  labels: LABEL,
  scans: SCAN,
  cancel_requests: CANCEL_REQUEST,
  returns: RETURN,
  return_lines: RETURN_LINE,
  refunds: REFUND,
  refund_lines: REFUND_LINE,
  disputes: DISPUTE,
};
export const CHILD_NAMES = Object.keys(CHILDREN) as readonly ChildName[];

/** Parts that an order may have, each with the children that it cannot have without this part. */
export const PARTS = {
  shipments: ['shipments', 'shipment_lines', 'labels', 'scans'],
  cancel_requests: ['cancel_requests'],
  returns: ['returns', 'return_lines'],
  refunds: ['refunds', 'refund_lines'],
  disputes: ['disputes'],
} as const satisfies Partial<Record<ChildName, readonly ChildName[]>>;
export type PartName = keyof typeof PARTS;
export const PART_NAMES = Object.keys(PARTS) as readonly PartName[];

type Json = Readonly<Record<string, unknown>>;

/** `2026-11-23T00:00:00.123456+00:00` (sessions run in UTC) as RFC 3339 with milliseconds and `Z`. */
function instantOf(text: string): string {
  if (!text.endsWith('+00:00')) return new Date(text).toISOString();
  const fraction = text.slice(20, -6).slice(0, 3).padEnd(3, '0');
  return `${text.slice(0, 19)}.${fraction}Z`;
}

const FROM_JSON: Partial<Record<ColumnType, (value: never) => unknown>> = {
  minor: (value: number) => minor(BigInt(value)),
  digits: (value: string | number) => BigInt(value),
  timestamptz: instantOf,
};

type ReadRow = (json: Json, parsers: typeof FROM_JSON) => unknown;
const readers = new Map<string, ReadRow>();

/** Compiles the reading of a row: a page of orders has ten thousand values. */
function compileReader({ columns }: Table<unknown>): ReadRow {
  const members = Object.entries(columns as Readonly<Record<string, ColumnType>>).map(([name, type]) => {
    const value = `json.${name}`;
    const parsed = FROM_JSON[type] === undefined ? value : `parsers.${type}(${value})`;
    return `${name}: ${value} === null || ${value} === undefined ? null : ${parsed}`;
  });
  return new Function('json', 'parsers', `return { ${members.join(', ')} };`) as ReadRow;
}

/** A row of the database's JSON, as the rules read it. */
export function toRow<Row>(table: Table<Row>, json: Json): Row {
  let read = readers.get(table.name);
  if (read === undefined) {
    read = compileReader(table as Table<unknown>);
    readers.set(table.name, read);
  }
  return read(json, FROM_JSON) as Row;
}

function toJson(type: ColumnType, value: unknown): unknown {
  if (typeof value !== 'bigint') return value;
  return type === 'minor' ? minorToJson(value as Minor) : String(value);
}

/** Rows as one JSON parameter. */
export function toParameter<Row>({ columns }: Table<Row>, rows: readonly Row[]): string {
  return JSON.stringify(
    rows.map((row) =>
      Object.fromEntries(
        Object.entries(columns as Readonly<Record<string, ColumnType>>).map(([name, type]) => {
          const value: unknown = row[name as keyof Row];
          return [name, toJson(type, value)];
        }),
      ),
    ),
  );
}

const SQL_TYPES: Partial<Record<ColumnType, string>> = { minor: 'bigint', digits: 'text' };

/** Inserts rows, or brings them to what they are now. Parameters: the seller, the rows. */
export function upsertText<Row>({ name, key, columns }: Table<Row>): string {
  const entries = Object.entries(columns as Readonly<Record<string, ColumnType>>);
  const names = entries.map(([column]) => column);
  const typed = entries.map(([column, type]) => `${column} ${SQL_TYPES[type] ?? type}`).join(', ');
  const set = names
    .filter((column) => !key.includes(column))
    .map((column) => `${column} = excluded.${column}`);
  return (
    `insert into ${name} (seller_id, ${names.join(', ')}) select $1, ${names.map((column) => `u.${column}`).join(', ')} ` +
    `from json_to_recordset($2::json) as u(${typed}) ` +
    `on conflict (seller_id, ${key.join(', ')}) do update set ${set.join(', ')}`
  );
}

/** Deletes rows. Parameters: the seller, the rows. */
export function deleteText<Row>({ name, key, columns }: Table<Row>): string {
  const typed = key.map((column) => `${column} ${columns[column as keyof Row & string]}`).join(', ');
  const same = key.map((column) => `t.${column} = u.${column}`).join(' and ');
  return `delete from ${name} t using json_to_recordset($2::json) as u(${typed}) where t.seller_id = $1 and ${same}`;
}
