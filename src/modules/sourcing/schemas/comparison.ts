import Type, { type Static } from 'typebox';
import { frameFields, liveFrame, missingComponent } from '../../../kernel/frame.ts';
import { described, Nullable, StringEnum } from '../../../kernel/schema.ts';
import type { compare } from '../domain/comparison.ts';
import type { RfqRow } from '../store.ts';
import { leadTime, QUOTE_EXAMPLE } from './quotes.ts';
import { amount, count, currency, id, lineNo, RFQ_EXAMPLE, wanted } from './rfqs.ts';

const known = (text: string) => Nullable(amount(text));
const rank = Nullable(count('From the lowest; equal figures share a rank; null: no landed cost is known', 1));
const Option = Type.Object(
  {
    quote_id: id('The quote'),
    status: StringEnum(['available', 'not_available'], {
      description: '`not_available`: the supplier sells fewer units at most',
    }),
    quantity: known('Units that would be ordered: whole packs, at least the minimum'),
    excess_units: known('Units beyond those that are wanted'),
    goods_minor: known('Price of the goods'),
    goods_unit_micros: known('The same for a unit, in millionths of the currency’s unit'),
    freight_share_minor: known('Share of the quote’s freight by goods'),
    landed_minor: known('Goods and freight'),
    landed_unit_micros: known('The same for a unit, in millionths of the currency’s unit'),
    ...{ lead_time_days: leadTime, rank },
    missing_components: Type.Array(missingComponent, { description: 'What is not stated' }),
  },
  { title: 'QuoteOption', description: 'What a quote offers for a line.' },
);
const ComparedQuote = Type.Object(
  {
    quote_id: id('The quote'),
    lines_quoted: count('Lines that it can deliver'),
    covers_all: Type.Boolean({ description: 'Whether these are all lines' }),
    landed_minor: known('Goods and freight of these lines; null: the freight is not stated'),
    rank: described('Among the quotes that cover all lines', rank),
  },
  { title: 'ComparedQuote', description: 'A quote as a whole.' },
);
export const Comparison = Type.Object(
  {
    ...{ rfq_id: id('The request'), currency },
    lines: Type.Array(
      Type.Object(
        {
          ...{ line_no: lineNo, quantity: wanted },
          options: Type.Array(Option, { description: 'By rank, of equal ranks the shorter lead time first' }),
        },
        { title: 'ComparedLine', description: 'The options for a line.' },
      ),
      { description: 'By number' },
    ),
    quotes: Type.Array(ComparedQuote, { description: 'The quotes as wholes, by rank' }),
    ...frameFields,
  },
  { title: 'QuoteComparison', description: 'Quotes on one basis: the landed cost of the wanted quantities.' },
);
type WireComparison = Static<typeof Comparison>;
const CONTRACT = 'sourcing.comparison.v1';

const toNumber = (value: bigint | null): number | null => (value === null ? null : Number(value));
const FREIGHT = ['freight' as const];

/** A comparison as the API shows it. Without quotes there are no figures. */
export function toWireComparison(
  { rfq_id, currency }: Pick<RfqRow, 'rfq_id' | 'currency'>,
  { lines, quotes }: ReturnType<typeof compare>,
  at: string,
): WireComparison {
  const shown = lines.map(({ options, ...line }) => ({
    ...line,
    options: options.map(({ is_available, ...option }) => ({
      ...option,
      status: is_available ? ('available' as const) : ('not_available' as const),
      goods_minor: toNumber(option.goods_minor),
      goods_unit_micros: toNumber(option.goods_unit_micros),
      freight_share_minor: toNumber(option.freight_share_minor),
      landed_minor: toNumber(option.landed_minor),
      landed_unit_micros: toNumber(option.landed_unit_micros),
      missing_components: is_available && option.landed_minor === null ? FREIGHT : [],
    })),
  }));
  const lacksFreight = shown.some(({ options }) => options.some((one) => one.missing_components.length > 0));
  return {
    ...{ rfq_id, currency, lines: shown },
    quotes: quotes.map((quote) => ({ ...quote, landed_minor: toNumber(quote.landed_minor) })),
    ...liveFrame(at, CONTRACT, {
      missing: lacksFreight ? FREIGHT : [],
      ...(quotes.length === 0 && { semantic_status: 'no_usable_report', status_reason: 'no_open_quotes' }),
    }),
  };
}

export const COMPARISON_EXAMPLE: WireComparison = {
  ...{ rfq_id: RFQ_EXAMPLE.rfq_id, currency: 'AUD' },
  lines: [
    {
      ...{ line_no: 1, quantity: 100 },
      options: [
        {
          ...{ quote_id: QUOTE_EXAMPLE.quote_id, status: 'available', quantity: 108, excess_units: 8 },
          ...{ goods_minor: 53_460, goods_unit_micros: 4_950_000, freight_share_minor: 3_850 },
          ...{ landed_minor: 57_310, landed_unit_micros: 5_306_481, lead_time_days: 4, rank: 1 },
          missing_components: [],
        },
      ],
    },
  ],
  quotes: [
    { quote_id: QUOTE_EXAMPLE.quote_id, lines_quoted: 1, covers_all: true, landed_minor: 57_310, rank: 1 },
  ],
  ...liveFrame('2026-07-03T01:00:00.000Z', CONTRACT),
};
