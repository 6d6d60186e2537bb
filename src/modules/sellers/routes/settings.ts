import Type, { type Static } from 'typebox';
import { defineEvent } from '../../../kernel/events.ts';
import { Nullable } from '../../../kernel/schema.ts';
import { section } from '../../../platform/rest/section.ts';
import { merge } from '../domain/merge.ts';
import { clearable, shown } from '../schemas/fields.ts';
import type { SellerRow } from '../store/seller-row.ts';
import { toldRow } from './own-row.ts';

/** Each return of an order shows the policy, so it stays short enough for a page of orders. */
const RETURN_POLICY_CHARS_MAX = 5_000;
/** The largest quantity of a product (products/domain/fields/limits.ts). */
const QUANTITY_MAX = 1_000_000_000;
const HANDLING_DAYS_MAX = 60;
const LEAD_TIME_DAYS_MAX = 365;

const DOCS = {
  low_stock_alerts: 'Whether low stock makes a notification; the event comes either way',
  default_reorder_point: 'Reorder point of new products that are created without one; null: they have none',
  default_handling_days:
    'Business days from the order to its dispatch, for products without a shipping profile; null: 2',
  default_lead_time_days: 'Days from reordering to new stock, shown with reorder suggestions; null: unknown',
  return_policy: 'Text for buyers; the marketplace shows it, and each return shows it',
} as const;

const Settings = Type.Object(
  {
    currency: Type.String({ description: 'Currency of the account and of new products; read-only' }),
    low_stock_alerts: Type.Boolean({ description: DOCS.low_stock_alerts }),
    default_reorder_point: Nullable(Type.Integer({ description: DOCS.default_reorder_point })),
    default_handling_days: Nullable(Type.Integer({ description: DOCS.default_handling_days })),
    default_lead_time_days: Nullable(Type.Integer({ description: DOCS.default_lead_time_days })),
    return_policy: shown(DOCS.return_policy),
  },
  { title: 'SellerSettings', description: 'The settings of the seller.' },
);

const number = (name: keyof typeof DOCS, maximum: number) =>
  Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum, description: DOCS[name] })));

const SettingsPatch = Type.Object(
  {
    low_stock_alerts: Type.Optional(Type.Boolean({ description: DOCS.low_stock_alerts })),
    default_reorder_point: number('default_reorder_point', QUANTITY_MAX),
    default_handling_days: number('default_handling_days', HANDLING_DAYS_MAX),
    default_lead_time_days: number('default_lead_time_days', LEAD_TIME_DAYS_MAX),
    return_policy: clearable(RETURN_POLICY_CHARS_MAX, DOCS.return_policy),
  },
  { title: 'SellerSettingsPatch', description: 'The settings to change.' },
);
type Stored = Static<typeof SettingsPatch>;

const EXAMPLE: Static<typeof Settings> = {
  currency: 'AUD',
  low_stock_alerts: true,
  default_reorder_point: 5,
  default_handling_days: 1,
  default_lead_time_days: 14,
  return_policy: 'Unused goods within 30 days.',
};

export const settingsChanged = defineEvent({
  type: 'seller.settings_changed',
  summary: 'The seller changed its settings',
  schema: Settings,
  example: EXAMPLE,
  marketplace: true,
});

const show = (row: SellerRow): Static<typeof Settings> => {
  const stored: Stored = row.settings;
  return {
    currency: row.currency,
    low_stock_alerts: stored.low_stock_alerts ?? true,
    default_reorder_point: stored.default_reorder_point ?? null,
    default_handling_days: stored.default_handling_days ?? null,
    default_lead_time_days: stored.default_lead_time_days ?? null,
    return_policy: stored.return_policy ?? null,
  };
};

export const settingsRoutes = section({
  ...toldRow(settingsChanged, show),
  id: 'sellers.settings',
  path: '/me/settings',
  one: 'seller settings',
  description: 'The currency of the account cannot be changed here. A change applies from now on.',
  view: Settings,
  patch: SettingsPatch,
  patchExample: { default_handling_days: 1, default_reorder_point: 5 },
  viewExample: EXAMPLE,
  change: (row, patch) => ({ settings: merge(row.settings, patch) }),
});
