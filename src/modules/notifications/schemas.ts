import Type from 'typebox';
import { SEVERITIES } from '../../kernel/events.ts';
import { Instant, Nullable, Page, pageQuery, StringEnum } from '../../kernel/schema.ts';
import { WAIT_SECONDS_MAX } from '../../platform/outbox/read-or-wait.ts';

/** As many as one page shows. */
export const ACK_IDS_MAX = 200;
const ID = '^ntf_[0-9a-z]{1,64}$';
const TYPE = '^[a-z_]+(\\.[a-z_]+)+$';

export const Notification = Type.Object(
  {
    notification_id: Type.String(),
    sequence: Type.Integer({
      description: 'Number of the event that it tells of; of the last one of several',
    }),
    type: Type.String({ description: 'Type of the event' }),
    severity: StringEnum(SEVERITIES),
    title: Type.String(),
    object_id: Type.String({ description: 'What it is about' }),
    event_id: Type.String(),
    times: Type.Integer({ description: 'How many events in a row told the same of the same object' }),
    occurred_at: Instant(),
    acknowledged_at: Nullable(Instant()),
    expires_at: Instant(),
  },
  { title: 'Notification' },
);

export const NotificationsPage = Type.Object({
  ...Page(Notification).properties,
  unread_count: Type.Integer({ description: 'Notifications that are not acknowledged' }),
  last_sequence: Type.Integer({ description: 'Send it as `after` to get newer notifications only' }),
});

export const listQuery = Type.Object({
  after: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description:
        'Notifications of events after this number, the oldest first; without it the newest come first',
    }),
  ),
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: WAIT_SECONDS_MAX,
      description: 'Seconds to wait for a notification when there is none yet',
    }),
  ),
  unread: Type.Optional(
    Type.Boolean({ description: 'Only those that are not acknowledged, or only those that are' }),
  ),
  severity: Type.Optional(StringEnum(SEVERITIES)),
  type: Type.Optional(Type.String({ maxLength: 100 })),
  ...pageQuery,
});

export const AckBody = Type.Object({
  ids: Type.Optional(
    Type.Array(Type.String({ pattern: ID }), { minItems: 1, maxItems: ACK_IDS_MAX, uniqueItems: true }),
  ),
  up_to: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'All up to this number of an event',
    }),
  ),
});

export const Acknowledged = Type.Object({
  acknowledged: Type.Integer({ description: 'How many this request acknowledged' }),
  unread_count: Type.Integer(),
});

export const Preferences = Type.Object(
  {
    data: Type.Array(
      Type.Object({
        type: Type.String(),
        summary: Type.String(),
        severity: StringEnum(SEVERITIES),
        muted: Type.Boolean(),
      }),
    ),
  },
  { title: 'NotificationPreferences' },
);

export const PreferencesBody = Type.Object({
  muted: Type.Array(Type.String({ pattern: TYPE, maxLength: 100 }), {
    maxItems: 200,
    uniqueItems: true,
    description: 'Every type that shall not become a notification; the others do',
  }),
});

export const NOTIFICATION_EXAMPLE = {
  notification_id: 'ntf_01kc6q3v8x0a4m2h9d7t5w1z6y',
  sequence: 42,
  type: 'inventory.low_stock',
  severity: 'warning',
  title: 'Blue mug (MUG-BLU) runs low: 3 left',
  object_id: 'prd_01kc6q3v8x0a4m2h9d7t5w1z6y',
  event_id: 'evt_01kc6q3v8x0a4m2h9d7t5w1z6y',
  times: 1,
  occurred_at: '2026-06-28T01:00:00.000Z',
  acknowledged_at: null,
  expires_at: '2026-09-26T01:00:00.000Z',
};
