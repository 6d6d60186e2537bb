/** Imports rows into a catalogue in memory, as a run does in the database. */
import { validatePatch } from '../domain/fields/validate-patch.ts';
import { matchNamed, type NamedProducts, namedKeys } from '../domain/match-row.ts';
import {
  asOtherListing,
  noEarlierNames,
  rememberNames,
  settleRepeat,
  yieldTakenSku,
} from '../domain/plan/settle-names.ts';
import { planRow } from '../domain/plan-row.ts';
import type { CatalogueProduct } from '../domain/product.ts';
import type { ProfileName } from '../domain/profiles/profile.ts';
import type { FeedRow } from '../domain/row.ts';
import { hasError } from '../domain/row-codes.ts';
import { planContext } from './plan-fixtures.ts';

/** A catalogue in memory. */
export class Catalogue implements NamedProducts {
  private readonly bySkus = new Map<string, CatalogueProduct>();
  private readonly byKeys = new Map<string, CatalogueProduct>();

  write(product: CatalogueProduct): void {
    if (product.seller_sku !== null) this.bySkus.set(product.seller_sku, product);
    if (product.external_key !== null) this.byKeys.set(product.external_key, product);
  }

  bySku(sku: string) {
    return this.bySkus.get(sku);
  }

  byExternalKey(key: string) {
    return this.byKeys.get(key);
  }

  byProductId() {
    return undefined;
  }

  /** Every product once. */
  all(): readonly CatalogueProduct[] {
    return [
      ...new Map(
        [...this.bySkus.values(), ...this.byKeys.values()].map((one) => [one.product_id, one]),
      ).values(),
    ];
  }
}

/** Plans every row as an import does. @returns the outcomes in file order */
export function importRows(
  rows: readonly FeedRow[],
  catalogue: Catalogue,
  profile: ProfileName,
  currency: string,
): string[] {
  const context = planContext({ profile, currency, remaining_slots: 1_000_000 });
  const earlier = noEarlierNames();
  const find = ({ patch, former_keys }: FeedRow) =>
    matchNamed(namedKeys(patch ?? {}, former_keys), catalogue, { profile });
  return rows.map((row) => {
    const valid = row.patch === null ? null : validatePatch(row.patch);
    const messages = [...row.messages, ...(valid?.messages ?? [])];
    const stated = { ...row, patch: valid?.patch ?? null, messages };
    const found = find(stated);
    const named = yieldTakenSku(stated, found, context);
    const other = asOtherListing(named, found.existing, earlier);
    const product = other === named ? found.existing?.product_id : undefined;
    const input = settleRepeat(other, product, earlier, context);
    const { existing, match } = input === named ? found : find(input);
    const plan = planRow(existing, input, context, match);
    if (plan.next !== null) catalogue.write(plan.next);
    rememberNames(input, existing?.product_id, plan.outcome === 'rejected', earlier, context);
    if (hasError(plan.messages) !== (plan.outcome === 'rejected'))
      throw new Error(`row ${row.row_number} is ${plan.outcome}, unlike its findings`);
    return plan.outcome;
  });
}
