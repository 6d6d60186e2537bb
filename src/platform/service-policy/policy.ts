/** What a service policy says. Source: docs/design/conversations.md#service-policy. */
import Type, { type Static } from 'typebox';
import { WEEKDAYS } from '../../kernel/australia/business-time.ts';
import { allows, DAY_FROM_2000 } from '../../kernel/schema.ts';

const MINUTES_MAX = 100_000;
const DAYS_MAX = 3_650;
const TIME = '^(?:(?:[01]\\d|2[0-3]):[0-5]\\d|24:00)$';

const minutes = (description: string) => Type.Integer({ minimum: 1, maximum: MINUTES_MAX, description });
const days = (description: string) => Type.Integer({ minimum: 1, maximum: DAYS_MAX, description });
/** From and to. Lint tools know no tuple of JSON Schema 2020-12. */
const Interval = () =>
  Type.Unsafe<[string, string]>(
    Type.Array(Type.String({ ...allows(TIME, 'Use a time of day from 00:00 to 24:00.') }), {
      minItems: 2,
      maxItems: 2,
    }),
  );

export const Calendar = Type.Object(
  {
    weekly: Type.Object(
      Object.fromEntries(
        WEEKDAYS.map((day) => [
          day,
          Type.Optional(
            Type.Array(Interval(), {
              maxItems: 24,
              description: 'Hours of the day, from and to',
            }),
          ),
        ]),
      ),
      {
        description: 'Open hours of each day of the week, from and to, in order; a day without any is closed',
      },
    ),
    closed_dates: Type.Array(Type.String({ format: 'date', ...DAY_FROM_2000 }), {
      maxItems: 1_000,
      description: 'Sydney days that are closed besides national public holidays',
    }),
  },
  { title: 'BusinessCalendar', description: 'The hours in Sydney that count for a target.' },
);

const PRIORITIES = ['urgent', 'high', 'normal', 'low'] as const;

const Targets = Type.Object({
  response: minutes('Open minutes for an answer'),
  resolution: minutes('Open minutes until it is resolved'),
});

const targets = {
  messages: Type.Object({
    response_minutes: minutes('Open minutes for the answer to a buyer'),
    calendar: Calendar,
  }),
  tickets: Type.Object({
    calendar: Calendar,
    targets: Type.Object(
      Object.fromEntries(PRIORITIES.map((priority) => [priority, Targets])) as {
        readonly [P in (typeof PRIORITIES)[number]]: typeof Targets;
      },
    ),
    claim_response_minutes: minutes('Open minutes for the answer to a claim'),
    appeal_days: days('Days in which a decision about a claim can be appealed'),
    close_after_days: days('Days after which a resolved ticket is closed'),
  }),
  allowed_hosts: Type.Array(
    Type.String({
      ...allows('^[a-z0-9-]+(?:\\.[a-z0-9-]+)+$', 'Use a host name in small letters, such as shop.example.'),
      maxLength: 253,
    }),
    {
      maxItems: 1_000,
      description: 'Hosts to which links in conversations may lead, also to names below them',
    },
  ),
  contest_days: days('Days in which a rating can be contested'),
  thread_open_days: days('Days after its closing in which a thread can be continued'),
};

/** Data of `marketplace.service_policy.published`. */
export const PolicyData = Type.Object({
  version: Type.String({ minLength: 1, maxLength: 64 }),
  effective_from: Type.String({ format: 'date', ...DAY_FROM_2000, description: 'Sydney day' }),
  ...targets,
});
export type ServicePolicy = Static<typeof PolicyData>;

const WORKDAYS = WEEKDAYS.slice(0, 5);
const weekly = (from: string, to: string) =>
  Object.fromEntries(WORKDAYS.map((day): [string, [string, string][]] => [day, [[from, to]]]));

/** What holds before any policy is published. */
export const DEFAULT_POLICY: ServicePolicy = {
  version: 'default-1',
  effective_from: '2020-01-01',
  messages: {
    response_minutes: 1_440,
    calendar: { weekly: weekly('00:00', '24:00'), closed_dates: [] },
  },
  tickets: {
    calendar: { weekly: weekly('09:00', '17:00'), closed_dates: [] },
    targets: {
      urgent: { response: 120, resolution: 960 },
      high: { response: 240, resolution: 1_440 },
      normal: { response: 480, resolution: 2_400 },
      low: { response: 960, resolution: 4_800 },
    },
    claim_response_minutes: 1_440,
    appeal_days: 30,
    close_after_days: 14,
  },
  allowed_hosts: [],
  contest_days: 90,
  thread_open_days: 90,
};
