import Type from 'typebox';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import { acceptDays, accountList, Day } from '../../reconciliation/index.ts';
import { lineJson } from '../actions/read-orders.ts';
import { ENTRY_EXAMPLE, EntrySchema, LineBucket, LineType } from '../schemas/order-statement.ts';
import { type EntryPosition, listLines } from '../store/statement-lines.ts';

const Id = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 200, description }));

export const entryRoutes = [
  accountList({
    id: 'financials.entries.list',
    path: '/entries',
    summary: 'List every line of the statement, including those in hold',
    description: 'Sorted by the day on which a line counts, latest first.',
    contract: 'financials.entries.v1',
    filters: {
      order_id: Id('Lines of this order'),
      type: Type.Optional(
        Type.Array(LineType, {
          maxItems: 25,
          description: 'Entries of any of these types; repeat the parameter',
        }),
      ),
      bucket: Type.Optional(LineBucket),
      related_id: Id('Lines of this refund, dispute, adjustment or reserve'),
      settlement_id: Id('Lines of this closed settlement'),
      from: Type.Optional(Day('Entries that count on this Sydney day or later')),
      to: Type.Optional(Day('Entries that count on this Sydney day or earlier')),
    },
    schema: EntrySchema,
    example: ENTRY_EXAMPLE,
    accept: acceptDays,
    read: (of, filters, after, limit) =>
      listLines(of, { ...filters, currency: of.currency }, after as EntryPosition | undefined, limit),
    position: ({ posted_on, position }) => [posted_on, position],
    show: async (lines, { now, currency }) => ({
      data: lines.map((line) => {
        const { order_id, order_number } = line;
        return { ...lineJson(line, sydneyDate(now)), order_id, order_number, currency };
      }),
    }),
  }),
];
