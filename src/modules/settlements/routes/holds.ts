import Type from 'typebox';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import { lessMinor, minorToJson } from '../../../kernel/money.ts';
import { Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { ledgerSettings } from '../../ledger/index.ts';
import {
  Amount,
  accountRoute,
  Day,
  describeFigures,
  metadata,
  metadataExample,
} from '../../reconciliation/index.ts';
import { HOLD_REASONS } from '../domain/settlement.ts';
import { ALL_SETTLEMENTS, activeHolds, HOLD_SOURCES, sellerTerms } from '../store/holds.ts';
import { heldByDay } from '../store/lines.ts';
import { openReserves } from '../store/reserves.ts';

const CONTRACT = 'financials.holds.v1';

const Holds = Type.Object(
  {
    hold: Type.Object(
      {
        days: Type.Integer({ description: 'From delivery until available; counts for deliveries to come' }),
        reason: StringEnum(['standard', 'seller_terms'], {
          description: 'The general rule, or terms of this seller',
        }),
      },
      { title: 'HoldRule', description: 'How long money is held after delivery.' },
    ),
    in_hold: Type.Array(
      Type.Object(
        {
          available_on: Day('When it will be available'),
          amount_minor: Amount('Net of fees and refunds'),
          line_count: Type.Integer({ description: 'Number of lines' }),
        },
        { title: 'HeldDay', description: 'What becomes available on one day.' },
      ),
      { description: 'Delivered and not available yet, the next first' },
    ),
    settlement_holds: Type.Array(
      Type.Object(
        {
          reason: StringEnum(HOLD_REASONS, { title: 'HoldReason', description: 'Why money is held back' }),
          settlement_id: Nullable(Type.String({ description: 'null: every settlement' })),
          source: StringEnum(HOLD_SOURCES, {
            description: 'Who holds it back; one source ends only its own',
          }),
          note: Nullable(Type.String({ description: 'Remark of the marketplace' })),
          since: Instant({ description: 'When it began' }),
        },
        { title: 'SettlementHold', description: 'A reason why settlements are not paid.' },
      ),
      { description: 'Why settlements are not paid' },
    ),
    reserves: Type.Array(
      Type.Object(
        {
          reserve_id: Type.String({ description: 'Id of the reserve' }),
          amount_minor: Amount('Held at first'),
          remaining_minor: Amount('Not released yet'),
          reason_code: Type.String({ description: 'Why it is held, for programs' }),
          release_on: Nullable(Day('Released on this day at the latest')),
          held_at: Instant({ description: 'When it was held back' }),
        },
        { title: 'Reserve', description: 'Money that the marketplace holds back.' },
      ),
      { description: 'Money that the marketplace holds back' },
    ),
    ...metadata,
  },
  { title: 'Holds', description: 'What holds money back, and until when.' },
);
const EXAMPLE = {
  hold: { days: 7, reason: 'standard' as const },
  in_hold: [{ available_on: '2026-08-04', amount_minor: 67_251, line_count: 7 }],
  settlement_holds: [
    {
      reason: 'risk_review' as const,
      settlement_id: null,
      source: 'marketplace' as const,
      note: 'Unusual volume',
      since: '2026-07-29T00:00:00.000Z',
    },
  ],
  reserves: [
    {
      reserve_id: 'rsv_1',
      amount_minor: 5_000,
      remaining_minor: 5_000,
      reason_code: 'risk',
      release_on: '2026-09-01',
      held_at: '2026-07-29T00:00:00.000Z',
    },
  ],
  ...metadataExample(CONTRACT),
};

export const holdRoutes = [
  accountRoute({
    id: 'financials.holds.list',
    path: '/holds',
    summary: 'List what holds money back, and until when',
    description: 'Shows money in the return window, held settlements and reserves.',
    answer: 'Holds and reserves',
    schema: Holds,
    example: EXAMPLE,
    read: async (of, _, ctx) => {
      const own = (await sellerTerms(of))?.hold_days ?? null;
      const held = await heldByDay(of, of.currency, sydneyDate(of.now));
      const settlementHolds = await activeHolds(of);
      const reserves = await openReserves(of, of.currency);
      return {
        hold: {
          days: own ?? ledgerSettings.of(ctx.config).SETTLEMENT_HOLD_DAYS,
          reason: own === null ? ('standard' as const) : ('seller_terms' as const),
        },
        in_hold: held.map(({ available_on, amount, entries }) => ({
          available_on,
          amount_minor: minorToJson(amount),
          line_count: entries,
        })),
        settlement_holds: settlementHolds.map(({ settlement_id, ...hold }) => ({
          ...hold,
          settlement_id: settlement_id === ALL_SETTLEMENTS ? null : settlement_id,
        })),
        reserves: reserves.map(({ amount_minor, released_minor, currency: _currency, ...reserve }) => ({
          ...reserve,
          amount_minor: minorToJson(amount_minor),
          remaining_minor: minorToJson(lessMinor(amount_minor, released_minor)),
        })),
        ...(await describeFigures(of, CONTRACT)),
      };
    },
  }),
];
