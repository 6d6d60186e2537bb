import type { ModelDatabase } from './model-store.ts';

const OBJECTS = ['prd_a', 'prd_b', 'prd_c'];

/** The random choices of a run. */
export interface Chance {
  number(below: number): number;
  pick<T>(from: readonly T[]): T | undefined;
}

/** A seller who changes products and endpoints at random. */
export class ModelSeller {
  private readonly database: ModelDatabase;
  private readonly chance: Chance;
  private readonly now: () => number;
  private readonly say: (text: string) => void;

  constructor(database: ModelDatabase, chance: Chance, now: () => number, say: (text: string) => void) {
    this.database = database;
    this.chance = chance;
    this.now = now;
    this.say = say;
  }

  act(): void {
    const { database } = this;
    const ids = [...database.endpoints.keys()];
    const id = this.chance.pick(ids.filter((one) => database.endpoint(one).row.status !== 'deleted'));
    const what = this.chance.number(40);
    if (what < 22 || id === undefined) {
      for (let left = 1 + this.chance.number(4); left > 0; left -= 1)
        database.append(this.chance.pick(OBJECTS) ?? 'prd_a', this.chance.number(3) === 0);
      return;
    }
    const found = database.endpoint(id);
    if (what < 24) {
      found.locked = !found.locked;
      return;
    }
    // Another transaction has locked the endpoint, so the change would wait.
    if (found.locked) return;
    this.change(id, what);
  }

  private change(id: string, what: number): void {
    const { database } = this;
    const { row } = database.endpoint(id);
    const doing = `${id} (${row.status}): ${what}`;
    this.say(`the seller changes ${doing}`);
    if (what < 27 && row.status === 'active') database.change(id, { status: 'paused' });
    else if (what < 31) this.resume(id, what === 30);
    else if (what < 32) database.change(id, { max_concurrency: 1 + this.chance.number(5) });
    else if (what < 34)
      database.change(id, { secret: `whsec_${'B'.repeat(4 * (1 + this.chance.number(4)))}` });
    else if (what < 36) this.again(id);
    else if (what < 37) database.insert(id, undefined, database.nextId('dlv'), this.now());
    else if (what < 38) database.inStanding = !database.inStanding;
    else if (what < 39) this.replay(id);
    else if (this.chance.number(3) === 0) this.remove(id);
  }

  resume(id: string, skip: boolean): void {
    const { database } = this;
    const { status } = database.endpoint(id).row;
    if (status === 'active') return;
    if (skip) database.cancelPending(id);
    else for (const one of database.of(id)) database.queue(one);
    const fanned_through = database.endpoint(id).row.fanned_through;
    database.change(id, {
      status: 'active',
      reason: null,
      fanned_through: skip ? database.last : fanned_through,
    });
  }

  private again(id: string): void {
    const all = [...this.database.deliveries.values()].filter(({ endpoint_id }) => endpoint_id === id);
    const one = this.chance.pick(all);
    if (one !== undefined && this.database.endpoint(id).row.status === 'active') this.database.queue(one);
  }

  private replay(id: string): void {
    const { database } = this;
    const { row } = database.endpoint(id);
    if (row.status !== 'active') return;
    for (const event of database.events.filter(({ sequence }) => sequence <= row.fanned_through)) {
      const one = database.deliveryOf(id, event.sequence);
      if (one === undefined) database.insert(id, event, database.nextId('dlv'), this.now()).handled = true;
      else if (one.status !== 'pending') database.queue(one);
    }
  }

  private remove(id: string): void {
    this.database.cancelPending(id);
    this.database.change(id, { status: 'deleted' });
    this.database.addEndpoint(3);
  }
}
