import type { CounterDef } from '../../kernel/route.ts';

export const deliveryCounter: CounterDef = {
  name: 'spp_store_deliveries_total',
  help: 'Rightly signed deliveries of stores: stored, or dropped because they were stored before or no channel has the store',
  label: 'result',
};
