/**
 * Any commands of a seller and its supplier: stock moves by the good units of the receipts that stand and never below
 * 0, every unit of a line is in one place, and no money is recorded. Source: docs/design/wholesale.md#receipts.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { asOwner } from '../../../../test/support/audit.ts';
import { stocked, stockOf } from '../../../../test/support/orders.ts';
import {
  movePurchase,
  mugSupplier,
  readPurchase,
  receiptBody,
  submitted,
  supplierDoes,
} from '../../../../test/support/purchases.ts';

const RUNS = 8;
const app = await startTestApp();
const seller = await app.seller({ plan: 'Big' });
const supplier = await mugSupplier(app);

const line = fc.integer({ min: 0, max: 1 });
const units = fc.integer({ min: 1, max: 30 });
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('receive'), line, units }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('reverse', 'adjust'), line, units }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constantFrom('answer', 'withdraw', 'ship', 'cancel'), line, units }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('close'), line, units }) },
);
interface Booked {
  readonly receipt_id: string;
}
const MONEY = ['ledger_journal', 'ledger_entry', 'ledger_day', 'settlement', 'invoice', 'payout'];

test('stock is what receipts and the seller make it, and no sequence of commands records money', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 14 }), async (steps) => {
      const { sku, product_id } = await stocked(seller, 20);
      const lines = [48, 24].map((quantity) => ({
        ...{ supplier_item_id: supplier.supplier_item_id, quantity, product_id },
      }));
      const order = await submitted(seller, supplier, { lines });
      const standing: { id: string; line: number; good: number }[] = [];
      let stock = 20;
      for (const [index, { kind, line: at, units: quantity }] of steps.entries()) {
        const purchase_line_id = order.lines[at]?.purchase_line_id;
        const told = { lines: [{ line_no: at + 1, quantity }] };
        if (kind === 'receive') {
          const arrived = { purchase_line_id, good: quantity, rejected: [{ quantity: 1, reason: 'other' }] };
          const json = receiptBody(app, order, 0, { lines: [arrived] });
          const { status, body } = await movePurchase<Booked>(seller, order, 'receipts', json);
          expect([201, 409]).toContain(status);
          if (status === 201) standing.push({ id: body.receipt_id, line: at, good: quantity });
          if (status === 201) stock += quantity;
        } else if (kind === 'reverse') {
          const last = standing.at(-1);
          if (last === undefined) continue;
          const path = `/wholesale/receipts/${last.id}/reverse`;
          const { status } = await seller.call('POST', path, { json: { reason: 'x' } });
          // The seller may have fewer units than the receipt brought.
          expect(status).toBe(stock >= last.good ? 201 : 409);
          if (status === 201) stock -= standing.pop()?.good ?? 0;
        } else if (kind === 'adjust') {
          const json = { seller_sku: sku, delta: -quantity };
          const { status } = await seller.call('POST', '/products/inventory/adjust', { json });
          if (status === 200) stock -= quantity;
        } else if (kind === 'answer')
          await supplierDoes(app, seller, order, 'order_answered', {
            answer_id: `a-${index}`,
            lines: [{ line_no: at + 1, accepted: quantity, declined: 2 }],
          });
        else if (kind === 'withdraw')
          await supplierDoes(app, seller, order, 'order_cancelled', {
            ...{ cancel_id: `c-${index}`, reason: 'other', ...told },
          });
        else if (kind === 'ship')
          await supplierDoes(app, seller, order, 'order_shipped', {
            ...{ supplier_shipment_id: `s-${index}`, shipped_at: new Date().toISOString(), ...told },
          });
        else if (kind === 'cancel')
          await movePurchase(seller, order, 'cancel', {
            ...{ reason: 'x', lines: [{ purchase_line_id, quantity }] },
          });
        else await movePurchase(seller, order, 'close', { reason: 'other' });
        expect([kind, await stockOf(seller, product_id)]).toEqual([kind, [stock, 0]]);
      }
      expect(stock).toBeGreaterThanOrEqual(0);
      const after = await readPurchase(seller, order);
      for (const [index, { quantities }] of after.lines.entries()) {
        const { ordered, unconfirmed = -1, confirmed = -1, received = -1, cancelled = -1 } = quantities;
        expect(Math.min(unconfirmed, confirmed, received, cancelled)).toBeGreaterThanOrEqual(0);
        expect(unconfirmed + confirmed + received + cancelled).toBe(ordered);
        const good = standing.filter((one) => one.line === index).map((one) => one.good);
        expect(received).toBe(good.reduce((sum, one) => sum + one, 0));
      }
    }),
    { numRuns: RUNS },
  );
  for (const table of MONEY)
    expect([table, await asOwner(app, `select 1 from ${table} limit 1`)]).toEqual([table, []]);
}, 240_000);
