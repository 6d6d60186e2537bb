/** A market on processes that may be killed at any instant. Clients repeat each request until it is answered. */
import type pg from 'pg';
import type { Answer, CallOptions } from './app.ts';
import { type Cluster, INTERNAL_TOKEN, type Member } from './cluster.ts';
import { type Event, type EventResult, iso, type RenewableSeller, type Stage } from './market-day.ts';

/** Events with their answers, and events in flight. */
export interface Heard {
  readonly answered: Map<string, { readonly event: Event; readonly status: string }>;
  readonly asked: Set<string>;
}

export interface MortalStage extends Stage {
  readonly heard: Heard;
  /** Requests whose answer was lost when the process died. */
  readonly lost: () => number;
}

interface Deps {
  readonly cluster: Cluster;
  /** The running processes. */
  readonly here: () => readonly Member[];
  readonly client: pg.Client;
  readonly startAt: number;
}

const REST_MS = 20;
/** A process is back within seconds; a longer failure has another cause. */
const TRIES_MAX = 3_000;
/** Other processes see a move of the clock within half a second. */
const SEEN_MS = 700;
const rest = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

type Request = (at: Member) => readonly [url: string, init: RequestInit];

function asker(here: Deps['here']) {
  let lost = 0;
  const ask = async (request: Request): Promise<Response & { readonly said: string }> => {
    for (let tries = 1; ; tries += 1) {
      const members = here();
      const member = members[Math.floor(Math.random() * members.length)];
      if (member !== undefined) {
        const [url, init] = request(member);
        try {
          const response = await fetch(url, init);
          const said = await response.text();
          if (response.status < 500 && !said.includes('idempotency_in_progress'))
            return Object.assign(response, { said });
          if (tries > TRIES_MAX) throw new Error(`${url}: ${response.status} ${said}`);
        } catch (error) {
          if (tries > TRIES_MAX) throw error;
          // The process has died; the outcome is unknown.
          lost += 1;
        }
      }
      await rest(REST_MS);
    }
  };
  return { ask, lost: () => lost };
}

const jsonOf = (response: Response & { readonly said: string }): unknown =>
  response.said !== '' && response.headers.get('content-type')?.includes('json') === true
    ? JSON.parse(response.said)
    : undefined;

const posting = (url: string, token: string, body: unknown): readonly [string, RequestInit] => [
  url,
  {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  },
];

function eventSender(ask: ReturnType<typeof asker>['ask'], heard: Heard): Stage['events'] {
  return async (...events) => {
    for (const { id } of events) heard.asked.add(id);
    const response = await ask((at) =>
      posting(`${at.internalUrl}/internal/v1/events`, INTERNAL_TOKEN, events),
    );
    const { results } = jsonOf(response) as { results: EventResult[] };
    for (const [index, { status }] of results.entries()) {
      const event = events[index];
      // An applied event stays applied, whatever is answered to another event with its id.
      if (event !== undefined && status !== 'rejected') heard.answered.set(event.id, { event, status });
    }
    return results;
  };
}

/** Signs a seller in at any running process, and again as time passes. */
function renewableSeller(
  { cluster }: Deps,
  ask: ReturnType<typeof asker>['ask'],
  now: () => number,
  { seller_id, sub }: { readonly seller_id: string; readonly sub: string },
): (token: string) => RenewableSeller {
  const signedIn = (token: string): RenewableSeller => ({
    seller_id,
    async call<Body>(method: string, path: string, { headers, json }: CallOptions = {}) {
      const type = json === undefined ? {} : { 'content-type': 'application/json' };
      const response = await ask((at) => [
        `${at.api}${path}`,
        {
          method,
          headers: { authorization: `Bearer ${token}`, ...type, ...headers },
          ...(json === undefined ? {} : { body: JSON.stringify(json) }),
        },
      ]);
      const { status, said: text } = response;
      return { status, headers: response.headers, text, body: jsonOf(response) } as Answer<Body>;
    },
    async renew() {
      const marketplace_token = await cluster.session(sub, undefined, now());
      const response = await ask((at) => posting(`${at.api}/auth/exchange`, '', { marketplace_token }));
      if (response.status !== 200) throw new Error(`exchange: ${response.status} ${response.said}`);
      return signedIn((jsonOf(response) as { access_token: string }).access_token);
    },
  });
  return signedIn;
}

/** Sends requests one after another. */
function inTurn(client: pg.Client): Stage['query'] {
  let last: Promise<unknown> = Promise.resolve();
  return <Row>(text: string, values: readonly unknown[] = []) => {
    const rows = last.then(async () => (await client.query(text, [...values])).rows as Row[]);
    last = rows.catch(() => undefined);
    return rows;
  };
}

/** Starts the stage and registers its sellers; the killing begins afterwards. */
export function mortalStage(deps: Deps): MortalStage {
  const { cluster, here, client } = deps;
  const heard: Heard = { answered: new Map(), asked: new Set() };
  const { ask, lost } = asker(here);
  let clock = deps.startAt;
  const now = (): number => clock;
  return {
    heard,
    lost,
    app: { services: { now } },
    events: eventSender(ask, heard),
    query: inTurn(client),
    async moveTo(instant) {
      const response = await ask((at) =>
        posting(`${at.internalUrl}/internal/v1/clock`, INTERNAL_TOKEN, { now: iso(instant) }),
      );
      if (response.status !== 200) throw new Error(`clock: ${response.status} ${response.said}`);
      await rest(SEEN_MS);
      clock = instant;
    },
    async seller() {
      const [at] = here();
      if (at === undefined) throw new Error('no process runs');
      const { sub, token } = await cluster.seller(at, 'Small');
      const own = await fetch(`${at.api}/sellers/me`, { headers: { authorization: `Bearer ${token}` } });
      const { seller_id } = (await own.json()) as { seller_id: string };
      return renewableSeller(deps, ask, now, { seller_id, sub })(token);
    },
  };
}
