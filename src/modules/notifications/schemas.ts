import Type from 'typebox';
import { SEVERITIES } from '../../kernel/events.ts';
import {
  allows,
  described,
  Instant,
  Nullable,
  nameFilter,
  Page,
  pageQuery,
  StringEnum,
} from '../../kernel/schema.ts';
import { WAIT_SECONDS_MAX } from '../../platform/outbox/read-or-wait.ts';

/** The number of notifications on a page. */
const ACK_IDS_MAX = 200;
const ID = '^ntf_[0-9a-z]{1,64}$';
const TYPE = '^[a-z_]+(\\.[a-z_]+)+$';

const Severity = StringEnum(SEVERITIES, {
  title: 'Severity',
  description: 'How soon the seller should look at it',
});

const Notification = Type.Object(
  {
    notification_id: Type.String({ description: 'Id of the notification, `ntf_…`' }),
    sequence: Type.Integer({
      description: 'Number of the event; of the last one, if the notification stands for several',
    }),
    type: Type.String({ description: 'Type of the event' }),
    severity: Severity,
    title: Type.String({ description: 'What happened, as one sentence' }),
    object_id: Type.String({ description: 'What it is about' }),
    href: Nullable(Type.String({ description: 'Path of the object, `/api/v1/…`; null: it has none' })),
    event_id: Type.String(),
    times: Type.Integer({
      description: 'Number of events about the same object that the notification stands for',
    }),
    occurred_at: Instant(),
    acknowledged_at: Nullable(Instant({ description: 'When it was acknowledged; null: unread' })),
    acknowledged_by: Nullable(
      Type.String({
        description: 'Id of the team member, or `system`: a later event has settled it; null: unread',
      }),
    ),
    expires_at: Instant(),
  },
  { title: 'Notification', description: 'An event that people should know of.' },
);

export const NotificationsPage = Page(Notification, {
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
  unread: Type.Optional(Type.Boolean({ description: 'Only open notifications, or only acknowledged ones' })),
  severity: Type.Optional(described('Notifications of this severity', Severity)),
  type: nameFilter('Notifications of events of this type'),
  ...pageQuery,
});

export const AckBody = Type.Object(
  {
    ids: Type.Optional(
      Type.Array(Type.String({ ...allows(ID, 'Use ids of notifications, `ntf_…`.') }), {
        minItems: 1,
        maxItems: ACK_IDS_MAX,
        uniqueItems: true,
        description: 'Ids of the notifications',
      }),
    ),
    up_to: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'All notifications up to this event number',
      }),
    ),
  },
  { title: 'AcknowledgeInput', description: 'Which notifications to acknowledge: `ids` or `up_to`.' },
);

export const Acknowledged = Type.Object(
  {
    acknowledged: Type.Integer({ description: 'How many this request acknowledged' }),
    unread_count: Type.Integer({ description: 'Notifications that are still unread' }),
  },
  { title: 'Acknowledged', description: 'What was acknowledged.' },
);

export const Preferences = Type.Object(
  {
    data: Type.Array(
      Type.Object({
        type: Type.String({ description: 'Type of the event' }),
        summary: Type.String({ description: 'Meaning of the event' }),
        severity: Severity,
        muted: Type.Boolean({ description: 'Whether events of the type make no notification' }),
      }),
      { description: 'All types that can become a notification' },
    ),
  },
  { title: 'NotificationPreferences', description: 'Which events become notifications.' },
);

export const PreferencesBody = Type.Object(
  {
    muted: Type.Array(
      Type.String({ ...allows(TYPE, 'Use a type of events, such as order.created.'), maxLength: 100 }),
      {
        maxItems: 200,
        uniqueItems: true,
        description: 'All types of events that make no notification; the others do',
      },
    ),
  },
  { title: 'NotificationPreferencesInput', description: 'The types to mute.' },
);

export const NOTIFICATION_EXAMPLE = {
  notification_id: 'ntf_01kc6q3v8x0a4m2h9d7t5w1z6y',
  sequence: 42,
  type: 'inventory.low_stock',
  severity: 'warning',
  title: 'Blue mug (MUG-BLU) runs low: 3 left',
  object_id: 'prd_01kc6q3v8x0a4m2h9d7t5w1z6y',
  href: '/api/v1/products/prd_01kc6q3v8x0a4m2h9d7t5w1z6y',
  event_id: 'evt_01kc6q3v8x0a4m2h9d7t5w1z6y',
  times: 1,
  occurred_at: '2026-06-28T01:00:00.000Z',
  acknowledged_at: null,
  acknowledged_by: null,
  expires_at: '2026-09-26T01:00:00.000Z',
};
