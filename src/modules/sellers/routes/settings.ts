import Type, { type Static } from 'typebox';
import { TIME_ZONE } from '../../../kernel/australia/sydney.ts';
import { type FieldProblem, invalid } from '../../../kernel/errors.ts';
import { Nullable } from '../../../kernel/schema.ts';
import { section } from '../../../platform/rest/section.ts';
import { canonicalLocale, isTimeZone } from '../domain/locale.ts';
import { merge } from '../domain/merge.ts';
import { clearable, email, shown } from '../schemas/fields.ts';
import { OWN_ROW } from './own-row.ts';

/** The longest policy that another large marketplace allows. */
const RETURN_POLICY_CHARS_MAX = 60_000;
const LOCALE_DEFAULT = 'en-AU';
/** PostgreSQL integer. */
const QUANTITY_MAX = 2_147_483_647;
const HANDLING_DAYS_MAX = 60;

const Settings = Type.Object(
  {
    time_zone: Type.String({ description: 'IANA time zone for times shown to people' }),
    locale: Type.String({ description: 'BCP 47 language tag' }),
    currency: Type.String({ description: 'Currency of the account; read-only' }),
    notification_email: shown('Where notifications go'),
    low_stock_alerts: Type.Boolean({ description: 'Whether low stock makes a notification' }),
    default_reorder_point: Nullable(
      Type.Integer({ description: 'Reorder point of products without one of their own' }),
    ),
    default_handling_days: Nullable(
      Type.Integer({ description: 'Business days from acceptance to dispatch' }),
    ),
    return_policy: shown('Text that buyers see'),
  },
  { title: 'SellerSettings', description: 'The settings of the seller.' },
);

const SettingsPatch = Type.Object(
  {
    time_zone: clearable(64, 'IANA time zone; null: Australia/Sydney'),
    locale: clearable(35, 'BCP 47 language tag; null: en-AU'),
    notification_email: email('Where notifications go'),
    low_stock_alerts: Type.Optional(Type.Boolean({ description: 'Whether low stock makes a notification' })),
    default_reorder_point: Type.Optional(
      Nullable(
        Type.Integer({
          minimum: 0,
          maximum: QUANTITY_MAX,
          description: 'Reorder point of products without one of their own',
        }),
      ),
    ),
    default_handling_days: Type.Optional(
      Nullable(
        Type.Integer({
          minimum: 0,
          maximum: HANDLING_DAYS_MAX,
          description: 'Business days from acceptance to dispatch',
        }),
      ),
    ),
    return_policy: clearable(RETURN_POLICY_CHARS_MAX, 'Text that buyers see'),
  },
  { title: 'SellerSettingsPatch', description: 'The settings to change.' },
);
type Stored = Static<typeof SettingsPatch>;

function problemsOf({ time_zone, locale }: Stored): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (typeof time_zone === 'string' && !isTimeZone(time_zone)) {
    problems.push({
      loc: ['body', 'time_zone'],
      msg: 'Must be a name of the IANA database, for example Australia/Perth.',
      type: 'time_zone_unknown',
      input: time_zone,
    });
  }
  if (typeof locale === 'string' && canonicalLocale(locale) === undefined) {
    problems.push({
      loc: ['body', 'locale'],
      msg: 'Must be a BCP 47 language tag, for example en-AU.',
      type: 'locale_invalid',
      input: locale,
    });
  }
  return problems;
}

export const settingsRoutes = section({
  ...OWN_ROW,
  id: 'sellers.settings',
  path: '/me/settings',
  one: 'seller settings',
  description: 'The currency is the account’s and cannot be changed here.',
  view: Settings,
  patch: SettingsPatch,
  patchExample: { time_zone: 'Australia/Perth', default_reorder_point: 5 },
  viewExample: {
    time_zone: 'Australia/Perth',
    locale: LOCALE_DEFAULT,
    currency: 'AUD',
    notification_email: 'ops@example.com',
    low_stock_alerts: true,
    default_reorder_point: 5,
    default_handling_days: null,
    return_policy: null,
  },
  show: (row) => {
    const stored: Stored = row.settings;
    return {
      time_zone: stored.time_zone ?? TIME_ZONE,
      locale: stored.locale ?? LOCALE_DEFAULT,
      currency: row.currency,
      notification_email: stored.notification_email ?? null,
      low_stock_alerts: stored.low_stock_alerts ?? true,
      default_reorder_point: stored.default_reorder_point ?? null,
      default_handling_days: stored.default_handling_days ?? null,
      return_policy: stored.return_policy ?? null,
    };
  },
  change: (row, patch) => {
    const problems = problemsOf(patch);
    if (problems.length > 0) throw invalid(problems);
    const locale = typeof patch.locale === 'string' ? { locale: canonicalLocale(patch.locale) } : {};
    return { settings: merge(row.settings, { ...patch, ...locale }) };
  },
});
