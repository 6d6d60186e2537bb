/** How the seller orders: what it set for a product, then for all products, then what the catalogue says. */
export const POLICY_FIELDS = [
  'lead_time_days',
  'review_days',
  'service_level_bps',
  'pack_size',
  'incoming_units',
] as const;
type PolicyField = (typeof POLICY_FIELDS)[number];
export type PolicyValues = Readonly<Record<PolicyField, number | null>>;

export const POLICY_SOURCES = ['product_policy', 'policy', 'product', 'settings', 'default', 'none'] as const;
type PolicySource = (typeof POLICY_SOURCES)[number];

const BUILT_IN: Partial<PolicyValues> = { review_days: 7, service_level_bps: 9_000, pack_size: 1 };

interface Given {
  readonly ofProduct?: PolicyValues | undefined;
  readonly ofAll?: PolicyValues | undefined;
  /** Lead time of the product in the catalogue, and the default in the seller's settings. */
  readonly product?: number | null | undefined;
  readonly settings?: number | null | undefined;
}

/** The value of each field, and where it comes from. */
export function resolvePolicy({ ofProduct, ofAll, product, settings }: Given) {
  const found = POLICY_FIELDS.map((field) => {
    const isLead = field === 'lead_time_days';
    const candidates: readonly (readonly [PolicySource, number | null | undefined])[] = [
      ['product_policy', ofProduct?.[field]],
      ['policy', ofAll?.[field]],
      ['product', isLead ? product : null],
      ['settings', isLead ? settings : null],
      ['default', BUILT_IN[field]],
    ];
    const [source, value] = candidates.find(([, one]) => one != null) ?? (['none', null] as const);
    return { field, source, value: value ?? null };
  });
  const pick = <T>(of: (one: (typeof found)[number]) => T) =>
    Object.fromEntries(found.map((one) => [one.field, of(one)])) as Record<PolicyField, T>;
  return { values: pick(({ value }) => value), source: pick(({ source }) => source) };
}
