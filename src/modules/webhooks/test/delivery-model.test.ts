import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ENDPOINT_MACHINE } from '../delivery/machine.ts';
import { World } from './delivery-model.ts';

const SEED = Number(process.env['WEBHOOK_MODEL_SEED'] ?? 20_260_628);
const RUNS = Number(process.env['WEBHOOK_MODEL_RUNS'] ?? 100);
/** Within a minute another worker replaces a killed one. The longest wait for a retry is added. */
const RECOVERED_MS = 60_000 + 6_000;

const numbers = fc.array(fc.nat(9_999), { minLength: 300, maxLength: 1_500, size: 'max' });

test('every event arrives, in the order of its object, for random interleavings', async () => {
  await fc.assert(
    fc.asyncProperty(numbers, async (list) => {
      const world = new World(list);
      await world.run();
      const took = await world.calm(RECOVERED_MS);
      const story = world.story.join('\n');
      expect(world.broken, story).toEqual([]);
      expect(world.openWork(), `after ${took} ms\n${story}`).toEqual([]);
      expect(
        [...world.database.deliveries.values()].filter(({ handled }) => !handled),
        story,
      ).toEqual([]);
    }),
    // The log of the failed run is more useful than a smaller failing case.
    { seed: SEED, numRuns: RUNS, endOnFailure: true },
  );
});

test('each state has at most one transition for an event', () => {
  const met = ENDPOINT_MACHINE.flatMap(({ from, event }) => from.map((state) => `${state} ${event}`));
  expect(new Set(met).size).toBe(met.length);
});
