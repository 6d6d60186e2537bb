/**
 * Metrics in the Prometheus text format. Each app has a registry of its own, because tests run several apps in one
 * process.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Count, CounterDef, GaugeDef, ModuleDef } from '../../kernel/route.ts';
import { systemNow } from '../db/clock.ts';
import { bigint, float, text } from '../db/columns.ts';
import { part, raw, statement } from '../db/statement.ts';
import type { Services } from '../services.ts';
import { VERSION } from '../version.ts';

/** From a cached read to a feed run at its time limit. */
const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60];
/** A job is late when it starts more than this after its instant; the worker polls twice a second. */
export const LATE_AFTER_MS = 60_000;

/** Called after each answered request. */
export type RequestObserver = (observation: {
  readonly route: string;
  readonly method: string;
  readonly status: number;
  readonly seconds: number;
}) => void;

/** Connections of a pool, and requests that wait for one. */
export interface PoolState {
  readonly total: number;
  readonly idle: number;
  readonly waiting: number;
}

export interface Metrics {
  readonly observe: RequestObserver;
  readonly registry: Registry;
  /** Counts a marketplace event by its outcome. */
  countEvent(type: string, status: string): void;
  /** Counts a numbered event of a seller. */
  countNumbered(type: string): void;
  readonly count: Count;
  /** Text of all metrics, with the current state of pools and jobs. */
  render(services: Pick<Services, 'withSystem' | 'now'>): Promise<string>;
}

const JOB_STATES = ['waiting', 'running', 'late', 'failing'] as const;
const jobCounts = { waiting: bigint, running: bigint, late: bigint, failing: bigint };

/** Counts jobs by state. A running job has a lease on the system's clock; a job fails after three attempts. */
function countJobs({ withSystem, now }: Pick<Services, 'withSystem' | 'now'>) {
  const instant = now();
  const [at, lateBefore, leaseNow] = [instant, instant - LATE_AFTER_MS, systemNow()].map((ms) =>
    new Date(ms).toISOString(),
  );
  const counts = statement(jobCounts)`
    select count(*) filter (where not leased and due_at > ${at}) as waiting,
           count(*) filter (where leased) as running,
           count(*) filter (where not leased and due_at <= ${lateBefore}) as late,
           count(*) filter (where last_error is not null and attempts >= 3) as failing
      from (select due_at, last_error, attempts, coalesce(lease_until >= ${leaseNow}, false) as leased
              from job) as j`;
  return withSystem('metrics', 'read', (db) => db.one(counts));
}

const labelled = { label: text, value: float };

const ageOfOldest = (now: number, table: string) => part`
  coalesce(extract(epoch from ${new Date(now).toISOString()}::timestamptz - min(created_at)), 0)::float8 as value
    from ${raw(table)}`;

/** Gauges of every service. */
const OWN_GAUGES: readonly GaugeDef[] = [
  {
    name: 'spp_events_unnumbered',
    help: 'Committed events that have no number yet, written singly or by bulk writes',
    label: 'written',
    read: () => statement(labelled)`
      select 'single' as label, count(*)::float8 as value
        from outbox
       where sequence is null
       union all
      select 'bulk', coalesce(sum(cardinality(event_ids)), 0)::float8
        from outbox_bulk`,
  },
  {
    name: 'spp_events_delay_seconds',
    help: 'Age of the oldest event that has no number yet',
    label: 'written',
    read: (now) => statement(labelled)`
      select 'single' as label, ${ageOfOldest(now, 'outbox')} where sequence is null
       union all
      select 'bulk', ${ageOfOldest(now, 'outbox_bulk')}`,
  },
];

/** Everything that a scrape reads from the database, apart from the jobs. */
export const gaugesOf = (modules: readonly Pick<ModuleDef, 'gauges'>[]): readonly GaugeDef[] => [
  ...OWN_GAUGES,
  ...modules.flatMap(({ gauges = [] }) => gauges),
];

/** Makes the gauges. The returned function reads each from the database, or resets all when it is unreachable. */
function databaseGauges(registry: Registry, defs: readonly GaugeDef[]) {
  const gauges = defs.map((def) => {
    const { name, help, label } = def;
    return { def, gauge: new Gauge({ name, help, labelNames: [label], registers: [registry] }) };
  });
  return async (services: Pick<Services, 'withSystem' | 'now'> | undefined): Promise<void> => {
    for (const { gauge } of gauges) gauge.reset();
    if (services === undefined) return;
    for (const { def, gauge } of gauges) {
      const statement = def.read(services.now());
      const rows = await services.withSystem('metrics', 'read', (db) => db.all(statement));
      for (const { label, value } of rows) gauge.set({ [def.label]: label }, value);
    }
  };
}

function requestMetrics(registry: Registry): RequestObserver {
  const registers = [registry];
  const requests = new Counter({
    name: 'spp_http_requests_total',
    help: 'Answered requests by route, method and status',
    labelNames: ['route', 'method', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'spp_http_request_duration_seconds',
    help: 'Time from arrival to the end of the answer',
    labelNames: ['route', 'method'],
    buckets: DURATION_BUCKETS,
    registers,
  });
  // Series by their labels: prom-client hashes the labels at each call, which costs more than the count.
  const series = new Map<string, { count(): void; time(seconds: number): void }>();
  const seriesOf = (route: string, method: string, status: string) => {
    const key = `${method} ${status} ${route}`;
    const known = series.get(key);
    if (known !== undefined) return known;
    const counter = requests.labels(route, method, status);
    const histogram = durations.labels(route, method);
    const made = {
      count: () => counter.inc(),
      time: (seconds: number) => histogram.observe(seconds),
    };
    series.set(key, made);
    return made;
  };
  return ({ route, method, status, seconds }) => {
    const { count, time } = seriesOf(route, method, String(status));
    count();
    time(seconds);
  };
}

/** The counters that modules declare. */
function declaredCounters(registry: Registry, defs: readonly CounterDef[]): Count {
  const counters = new Map(
    defs.map(({ name, help, label }) => [
      name,
      new Counter({ name, help, labelNames: [label], registers: [registry] }),
    ]),
  );
  return ({ name, label }, value, by) => counters.get(name)?.inc({ [label]: value }, by);
}

let ofProcess: Registry | undefined;

/** The metrics of Node. They are made once, because what watches the process for them never stops. */
function metricsOfNode(): Registry {
  if (ofProcess === undefined) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
  }
  return ofProcess;
}

/** What does not change while the process runs, and the pools. */
function processMetrics(registry: Registry, pools: () => Readonly<Record<string, PoolState>>): void {
  const registers = [registry];
  new Gauge({
    name: 'spp_build_info',
    help: 'The release that runs, and its Node; always 1',
    labelNames: ['version', 'node'],
    registers,
  }).set({ version: VERSION, node: process.version }, 1);
  new Gauge({
    name: 'spp_db_connections',
    help: 'Connections by pool: total, idle, and requests waiting for one',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      for (const [pool, states] of Object.entries(pools()))
        for (const [state, value] of Object.entries(states)) this.set({ pool, state }, value);
    },
  });
}

/**
 * Metrics of one app; each scrape reads the pools, and the gauges from the database.
 *
 * @param pools by name
 */
export function createMetrics(
  pools: () => Readonly<Record<string, PoolState>>,
  modules: readonly Pick<ModuleDef, 'gauges' | 'counters'>[] = [],
): Metrics {
  const registry = Registry.merge([metricsOfNode()]);
  const registers = [registry];
  processMetrics(registry, pools);
  const events = new Counter({
    name: 'spp_marketplace_events_total',
    help: 'Events of the marketplace by type and outcome',
    labelNames: ['type', 'status'],
    registers,
  });
  const numbered = new Counter({
    name: 'spp_events_total',
    help: 'Events of sellers by type, counted by the worker that numbers them',
    labelNames: ['type'],
    registers,
  });
  const jobs = new Gauge({
    name: 'spp_jobs',
    help: `Jobs that wait for their instant, are running, are over ${LATE_AFTER_MS / 1000} s late, or failed 3 times or more`,
    labelNames: ['state'],
    registers,
  });
  const database = new Gauge({
    name: 'spp_database_up',
    help: 'Whether the database answered this scrape',
    registers,
  });
  const setGauges = databaseGauges(registry, gaugesOf(modules));
  return {
    observe: requestMetrics(registry),
    registry,
    countEvent: (type, status) => events.inc({ type, status }),
    countNumbered: (type) => numbered.inc({ type }),
    count: declaredCounters(
      registry,
      modules.flatMap(({ counters = [] }) => counters),
    ),
    async render(services) {
      // The other metrics matter most while the database is unreachable.
      const counts = await countJobs(services).catch(() => undefined);
      database.set(counts === undefined ? 0 : 1);
      jobs.reset();
      for (const state of counts === undefined ? [] : JOB_STATES)
        jobs.set({ state }, Number(counts?.[state]));
      await setGauges(counts === undefined ? undefined : services).catch(() => undefined);
      return registry.metrics();
    },
  };
}
