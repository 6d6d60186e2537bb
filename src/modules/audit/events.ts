import Type from 'typebox';
import { defineEvent } from '../../kernel/events.ts';
import { Instant } from '../../kernel/schema.ts';

export const checkpoint = defineEvent({
  type: 'audit.checkpoint',
  summary:
    'The end of the activity log on this day. Keep it: the chain of a later export must have this hash at this number',
  schema: Type.Object(
    {
      seq: Type.Integer({ description: 'Number of the last entry' }),
      hash: Type.String({ description: 'Hash of that entry, 64 hexadecimal digits' }),
      at: Instant({ description: 'When the service read it' }),
    },
    { title: 'AuditCheckpoint', description: 'The end of the activity log on a day.' },
  ),
  example: {
    seq: 1204,
    hash: '353dad36c836b5f319d6e5db2fb5836b146084755f373e4adf82f72b786e3cad',
    at: '2026-07-02T17:40:00.000Z',
  },
});
