/** Suppliers of the marketplace and what they offer. Other modules sell it. See docs/design/supply.md. */
import { defineModule } from '../../kernel/route.ts';
import { suppliersPublished } from './intake/published.ts';

export { requireAvailable, requireQuantity } from './actions/requirements.ts';
export { freightOf, type ItemTerms, packPriceOf } from './domain/terms.ts';
export { supplyErrors } from './errors.ts';
export { SUPPLIER_JOB } from './intake/published.ts';
export { requirePast, requireTerms, supplierFields } from './intake/supplier-fields.ts';
export {
  ITEM_STATUSES,
  itemsOf,
  knownItems,
  type ListedSupplier,
  listedSupplier,
  type OfferedItem,
  offeredItem,
  SUPPLIER_STATUSES,
  type SupplierRow,
  searchItems,
  supplierNamed,
  supplierOf,
  suppliersPage,
} from './store.ts';

export const supplyModule = defineModule({
  name: 'supply',
  base: '',
  title: 'Supply',
  summary: 'Suppliers of the marketplace and what they offer',
  availability: 'available',
  ids: ['sup_', 'sit_'],
  routes: [],
  marketplaceEvents: suppliersPublished,
});
