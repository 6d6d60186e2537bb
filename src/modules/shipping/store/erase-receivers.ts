/** What manifests and quotes say of the receivers of orders whose buyer is erased. */
import type { Eraser } from '../../../kernel/eraser.ts';
import { textArray } from '../../../platform/db/arrays.ts';
import { command } from '../../../platform/db/statement.ts';

export const shippingEraser: Eraser = {
  columns: [
    'shipping_manifest_line.recipient',
    'shipping_manifest_line.destination',
    'shipping_manifest_line.postcode',
    'shipping_quote.request',
  ],
  async erase({ db, seller_id }, { order_ids }) {
    const orders = textArray(order_ids);
    await db.run(command`
      update shipping_manifest_line
         set recipient = '', destination = '', postcode = null
       where seller_id = ${seller_id}
         and order_id = any(${orders}::text[])`);
    await db.run(command`
      update shipping_quote q
         set request = q.request #- '{to,line1}' #- '{to,line2}' #- '{to,postcode}'
       where q.seller_id = ${seller_id}
         and q.quote_id in (
               select l.quote_id
                 from v_orders_label l
                where l.seller_id = ${seller_id}
                  and l.order_id = any(${orders}::text[]))`);
    // A quote names no order. Its streets have only said which carriers refuse the place, so no purchase needs them.
    await db.run(command`
      update shipping_quote
         set request = request #- '{to,line1}' #- '{to,line2}'
       where seller_id = ${seller_id}
         and used_at is null
         and request->'to' ?| array['line1', 'line2']`);
    return [];
  },
};
