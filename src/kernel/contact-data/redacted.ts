import Type from 'typebox';
import { Instant, StringEnum } from '../schema.ts';

/** Why a text of a conversation is no longer there. */
export const Redacted = Type.Object(
  {
    reason: StringEnum(['erasure', 'retention'], { description: 'Why the text was deleted' }),
    at: Instant({ description: 'When the text was deleted' }),
  },
  { title: 'Redacted', description: 'Why and when a text was deleted.' },
);
