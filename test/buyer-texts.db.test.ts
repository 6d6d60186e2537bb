/** Every text about a buyer has an eraser. Source: docs/design/buyers.md#erasure. */
import { expect, test } from 'vitest';
import { MODULES } from '../src/modules.ts';
import { startTestApp } from './support/app.ts';
import { asOwner } from './support/audit.ts';

const app = await startTestApp({ ROLE: 'api' });

/** Columns that tie a row to a buyer. */
const TIES = ['order_id', 'buyer_id', 'customer_ref', 'thread_id', 'ticket_id', 'shipment_id', 'return_id'];

/** Names of columns that hold ids, codes, numbers and goods, in every table. */
const PLAIN =
  /\.(.*_(ids?|version|key|url|code|number|sku)|currency|status|carrier|service|packages|kind|type|action|category|gtin|lines|parts|attention|component|actor)$/;

/** Other texts of such tables that are not about a buyer, or that the erasure itself removes. */
const NOT_OF_BUYERS: readonly string[] = [
  // Removed by `eraseBuyer`; the digest reveals nothing without the key.
  'buyer.alias',
  'buyer.customer_ref',
  'buyer_erasure.ref_digest',
  // What the marketplace writes about money. Journals never change.
  'ledger_entry.description',
  // Statuses, quantities and deadlines.
  'order_event.changes',
  'sales_order.dispatch_rule',
  'sales_order.share_of',
  'order_terms.line_rates',
  // Ids, words and amounts; the digest does not cover texts.
  'points_journal.digest',
  'ticket.links',
  'ticket.claim',
  'ticket.resolution',
  'ticket_entry.move',
  'ticket_entry.masked',
  'ticket_entry.redacted',
  // What the seller sells, and under which terms; who supplies it.
  'dropship_order.supplier_name',
  'order_line.title',
  'order_return.return_policy',
  // Codes; kinds of what was removed; when a text was deleted.
  'order_return.refusal_reason',
  'message_thread.topic',
  'thread_message.masked',
  'thread_message.reasons',
  'thread_message.redacted',
  // Kinds of what was removed, and stars; digests do not cover texts.
  'feedback.digest',
  'feedback.masked',
  'feedback.redacted',
  'rating.digest',
  'rating.revisions',
  // Causes, days and ids; of a reason only a code.
  'quality_event.fact',
  'quality_event.metric',
  'quality_order.days',
  // The member who bought the label.
  'order_label_purchase.author',
];

/** Columns of text and JSON in tables about buyers. Words from a list and ids are no texts. */
const texts = await asOwner<{ name: string }>(
  app,
  `select c.relname || '.' || a.attname as name
     from pg_class c
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relkind = 'r'
      and c.relnamespace = 'public'::regnamespace
      and exists (
            select from pg_attribute tie
             where tie.attrelid = c.oid and tie.attname = any($1) and not tie.attisdropped)
      and a.atttypid in ('text'::regtype, 'text[]'::regtype, 'json'::regtype, 'jsonb'::regtype)
      and not exists (
            select from pg_constraint k
             where k.conrelid = c.oid and k.contype = 'c' and k.conkey = array[a.attnum])
    order by 1`,
  [TIES],
);

test('each column of text in a table about buyers is erased, or is known not to be about a buyer', () => {
  const erased = MODULES.flatMap(({ eraser }) => eraser?.columns ?? []);
  const known = [...erased, ...NOT_OF_BUYERS];
  const unknown = texts.filter(({ name }) => !PLAIN.test(name) && !known.includes(name));
  expect(unknown.map(({ name }) => name)).toEqual([]);
  expect(new Set(known).size).toBe(known.length);
});

test('PostgreSQL keeps no values of such a column as statistics', async () => {
  const gathered = await asOwner<{ name: string }>(
    app,
    `select c.relname || '.' || a.attname as name
       from pg_class c
       join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = 'public'::regnamespace
        and a.attstattarget is distinct from 0
        and a.atttypid <> 'json'::regtype`,
  );
  const erased = [
    'buyer.alias',
    'buyer.customer_ref',
    ...MODULES.flatMap(({ eraser }) => eraser?.columns ?? []),
  ];
  const kept = gathered.map(({ name }) => name).filter((name) => erased.includes(name));
  expect(kept, 'a migration says: alter column … set statistics 0').toEqual([]);
});

test('the erasers name columns that exist', async () => {
  const columns = await asOwner<{ name: string }>(
    app,
    "select table_name || '.' || column_name as name from information_schema.columns where table_schema = 'public'",
    [],
  );
  const exist = columns.map(({ name }) => name);
  const named = MODULES.flatMap(({ eraser }) => eraser?.columns ?? []);
  expect([...named, ...NOT_OF_BUYERS].filter((name) => !exist.includes(name))).toEqual([]);
});
