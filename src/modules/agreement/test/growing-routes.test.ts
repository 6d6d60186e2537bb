/** The routes that an overdue acceptance stops. Each write route of the catalogue is in exactly one of these sets. */
import { expect, test } from 'vitest';
import { isSellerAccess } from '../../../kernel/route.ts';
import { MODULES } from '../../../modules.ts';

/** These create or activate products. */
const GROWS = [
  'channels.create',
  'channels.imports.create',
  'dropship.listings.create',
  'dropship.listings.write',
  'products.bulk.write',
  'products.create',
  'products.import_profiles.import',
];
/** Some requests of these do. */
const MAY_GROW = [
  'channels.issues.resolve',
  'channels.reauthorise',
  'products.feed_runs.commit',
  'products.feed_runs.create',
  'products.feed_runs.revert',
  'products.named.update',
  'products.replace',
  'products.update',
];
/** These serve buyers, describe products, or take something back. */
const NEVER = [
  'channels.links.update',
  'channels.stock.set',
  'dropship.listings.end',
  'dropship.listings.pause',
  'dropship.listings.resume',
  'dropship.listings.update',
  'faqs.create',
  'faqs.delete',
  'faqs.publish',
  'faqs.unpublish',
  'faqs.update',
  'products.archive',
  'products.feed_runs.cancel',
  'products.images.clear',
  'products.images.create',
  'products.images.delete',
  'products.inventory.adjust',
  'products.inventory.import',
  'products.inventory.set',
  'products.reorder_point.set',
  'products.stock_list.set',
];

test('an overdue acceptance stops requests that add to the catalogue, and no others', () => {
  const routes = MODULES.flatMap((module) =>
    module.routes.flatMap(({ id, access }) => (isSellerAccess(access) ? [{ id, access }] : [])),
  );
  const idsWhere = (grows: true | 'some' | undefined) =>
    routes
      .filter(({ access }) => access.growsCatalogue === grows)
      .filter(({ access }) => grows !== undefined || access.permission === 'catalogue:write')
      .map(({ id }) => id)
      .sort();
  expect(idsWhere(true)).toEqual(GROWS);
  expect(idsWhere('some')).toEqual(MAY_GROW);
  expect(idsWhere(undefined)).toEqual(NEVER);
});
