import Type from 'typebox';
import { defineEvent } from '../../kernel/events.ts';
import { ForecastRow, ROW_EXAMPLE } from './schemas.ts';

export const forecastEvents = {
  reorderDue: defineEvent({
    type: 'forecast.reorder_due',
    summary: 'A product is newly due to be reordered; at most once a night',
    schema: Type.Object(
      {
        ...ForecastRow.properties,
        facts_through_on: Type.String({
          format: 'date',
          description: 'The last day that the forecast counts',
        }),
      },
      { title: 'ReorderDue', description: 'The forecast of a product that is due to be reordered.' },
    ),
    id: 'product_id',
    example: { ...ROW_EXAMPLE, facts_through_on: '2026-10-25' },
    notification: {
      severity: 'warning',
      title: '{seller_sku} is due to be reordered: {reorder.quantity} units',
      together: {
        where: { status: 'forecast' },
        by: 'facts_through_on',
        title: 'Products due to be reordered: {times}',
      },
    },
  }),
};
