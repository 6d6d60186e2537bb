/**
 * Who acts next, and how. Every object that is incomplete, blocked, restricted, degraded or in review says both
 * (invariant W). Source: docs/design/wire.md#waiting.
 */
import Type, { type Static } from 'typebox';
import { Nullable, StringEnum } from './schema.ts';

const WAITING_ON = ['seller', 'marketplace', 'provider', 'nobody'] as const;
type WaitingOn = (typeof WAITING_ON)[number];

const WaitingOnSchema = StringEnum(WAITING_ON, {
  title: 'WaitingOn',
  description: 'Who acts next; `nobody`: nothing is left to do',
});

export const ActionSchema = Type.Object(
  {
    kind: StringEnum(['call', 'open_link', 'wait', 'contact_marketplace'], {
      description:
        '`call`: call `href`; `open_link`: open `href` in a browser; `wait`: until `next_check_at` or `deadline`',
    }),
    method: Nullable(StringEnum(['POST'], { description: 'Null unless `href` is called' })),
    href: Nullable(Type.String({ description: 'Path of the API, `/api/v1/…`' })),
    text: Type.String({ description: 'What to do, for people' }),
  },
  { title: 'Action', description: 'What is to be done next.' },
);
export type Action = Static<typeof ActionSchema>;

/** The two fields of an object that may wait for somebody. */
export const waitingFields = {
  waiting_on: WaitingOnSchema,
  action: Nullable(ActionSchema),
};

export interface Waiting {
  readonly waiting_on: WaitingOn;
  readonly action: Action | null;
}

const step = (waiting_on: WaitingOn, kind: Action['kind'], text: string, href: string | null): Waiting => ({
  waiting_on,
  action: { kind, method: kind === 'call' ? 'POST' : null, href, text },
});

export const DONE: Waiting = { waiting_on: 'nobody', action: null };
/** @param href path of a POST of the API, `/api/v1/…` */
export const sellerCalls = (href: string, text: string): Waiting => step('seller', 'call', text, href);
/** @param href path that the seller opens, `/api/v1/…` */
export const sellerOpens = (href: string, text: string): Waiting => step('seller', 'open_link', text, href);
export const contactMarketplace = (text: string): Waiting =>
  step('marketplace', 'contact_marketplace', text, null);
/** The object that shows it must have a `next_check_at` or a `deadline`. */
export const waitFor = (who: 'marketplace' | 'provider', text: string): Waiting =>
  step(who, 'wait', text, null);

const INACTIVE = contactMarketplace(
  'The account is suspended or closed; only the marketplace can enable it again.',
);

/** A suspended or closed account can change nothing, so where the seller is to act, the marketplace acts first. */
export const waitingOf = <Shown extends Waiting>(isActive: boolean, shown: Shown): Shown =>
  isActive || shown.waiting_on !== 'seller' ? shown : { ...shown, ...INACTIVE };

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

function problemsOfObject(shown: Readonly<Record<string, unknown>>): string[] {
  const { waiting_on: who, action } = shown;
  // A conversation waits for the next writer, and lists what the seller can do.
  if (!('action' in shown) && ('thread_id' in shown || 'ticket_id' in shown)) return [];
  if (who === 'nobody') return action === null ? [] : ['an action although nothing is left'];
  if (!isObject(action)) return [`${who} waits without an action`];
  const { kind, method, href, text } = action;
  const leads = kind === 'call' || kind === 'open_link';
  const until = shown['next_check_at'] ?? shown['deadline'] ?? null;
  return [
    ...(leads !== (typeof href === 'string' && href.startsWith('/api/v1/')) ? ['href'] : []),
    ...((kind === 'call') !== (method === 'POST') ? ['method'] : []),
    ...(typeof text === 'string' && text !== '' ? [] : ['text']),
    ...(kind === 'wait' && until === null ? ['a wait without next_check_at or deadline'] : []),
  ];
}

/** The violations of invariant W in an answer, each with its place. For tests. */
export function waitingProblems(shown: unknown, place = ''): string[] {
  if (!isObject(shown)) return [];
  // In a schema it is an object.
  const own =
    typeof shown['waiting_on'] === 'string'
      ? problemsOfObject(shown).map((problem) => `${place}: ${problem}`)
      : [];
  return [
    ...own,
    ...Object.entries(shown).flatMap(([key, inner]) => waitingProblems(inner, `${place}/${key}`)),
  ];
}
