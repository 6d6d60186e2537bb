/** Orders from placement to delivery, and returns: see README.md. */
import { defineModule } from '../../kernel/route.ts';
import { orderEraser } from './actions/erase-buyer.ts';
import { MACHINES } from './domain/machines.ts';
import { declarations } from './events.ts';
import { moneyEvents } from './intake/money-events.ts';
import { orderEvents } from './intake/order-events.ts';
import { orderPlaced } from './intake/order-placed.ts';
import { shipmentEvents } from './intake/shipment-events.ts';
import { jobs } from './jobs.ts';
import { answerRoutes } from './routes/answers.ts';
import { bulkRoutes } from './routes/bulk.ts';
import { orderFileRoutes } from './routes/files.ts';
import { labelRoutes } from './routes/labels.ts';
import { listedPartRoutes } from './routes/listed-parts.ts';
import { readRoutes } from './routes/reads.ts';
import { refundRoutes } from './routes/refunds.ts';
import { returnRoutes } from './routes/returns.ts';
import { shipmentRoutes } from './routes/shipments.ts';
import { gauges } from './store/gauges.ts';

export { changeOrder, SUPPLIED_JOB } from './actions/change-order.ts';
export type { Order } from './domain/order.ts';
export { suppliedWaiting } from './domain/own-units.ts';
export { correctSupplied, settleSupplied } from './domain/supplied.ts';
export type { Work } from './domain/work.ts';
export { errors as orderErrors } from './errors.ts';
export { shipToWire } from './schemas/parts.ts';

export const ordersModule = defineModule({
  name: 'orders',
  base: '/orders',
  title: 'Orders',
  summary: 'Accept/reject, dispatch, labels, tracking',
  availability: 'available',
  ids: ['ord_', 'oli_', 'shp_', 'lbl_', 'crq_', 'rtn_', 'rfd_', 'dsp_'],
  machines: MACHINES,
  routes: [
    ...readRoutes,
    ...listedPartRoutes,
    ...orderFileRoutes,
    ...answerRoutes,
    ...shipmentRoutes,
    ...labelRoutes,
    ...returnRoutes,
    ...refundRoutes,
    ...bulkRoutes,
  ],
  eraser: orderEraser,
  events: Object.values(declarations).flatMap((ofKind) => Object.values(ofKind)),
  jobs,
  gauges,
  marketplaceEvents: [orderPlaced, ...orderEvents, ...shipmentEvents, ...moneyEvents],
});
