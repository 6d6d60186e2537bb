import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { marketplaceEvents } from '../../../../test/support/outbox.ts';
import { PROFILE_INPUT_EXAMPLE } from '../schemas/profile-examples.ts';

const app = await startTestApp();

interface Profile {
  readonly profile_id: string;
  readonly version: number;
}

test('changes of profiles and rules make events for the marketplace and the seller', async () => {
  const [seller, other] = [await app.seller({ plan: 'Small' }), await app.seller({ plan: 'Small' })];
  const make = async (name: string, more: object = {}) =>
    (
      await seller.call<Profile>('POST', '/shipping/profiles', {
        json: { ...PROFILE_INPUT_EXAMPLE, is_default: false, name, ...more },
      })
    ).body;
  const first = await make('First');
  const second = await make('Second', { is_default: true });
  const changed = await seller.call<Profile>('PATCH', `/shipping/profiles/${second.profile_id}`, {
    json: { handling_days: 4 },
  });
  await seller.call('PATCH', `/shipping/profiles/${second.profile_id}`, { json: { handling_days: 4 } });
  const refused = await seller.call('DELETE', `/shipping/profiles/${second.profile_id}`);
  expect(refused.status).toBe(409);
  const rule = await seller.call<{ rule_id: string }>('POST', '/shipping/rules', {
    json: { name: 'Desks', profile_id: first.profile_id, sku_prefixes: ['DESK-'] },
  });
  const disabled = await seller.call('PATCH', `/shipping/rules/${rule.body.rule_id}`, {
    json: { enabled: false },
  });
  await seller.call('DELETE', `/shipping/rules/${rule.body.rule_id}`);
  await seller.call('DELETE', `/shipping/profiles/${first.profile_id}`);
  const events = await marketplaceEvents(app, seller, 'shipping_', 8);
  const shown = events.map(({ type, object_version, data }) => [type, object_version, data.change]);
  const [created, updated, deleted] = ['created', 'updated', 'deleted'].map((action) => ({ action }));
  const [profiles, rules] = ['shipping_profile.changed', 'shipping_rule.changed'];
  expect(shown).toEqual([
    [profiles, 1, created],
    // The second profile takes the default from the first.
    [profiles, 2, updated],
    [profiles, 1, created],
    [profiles, 2, updated],
    [rules, 1, created],
    [rules, 2, updated],
    [rules, 3, deleted],
    [profiles, 3, deleted],
  ]);
  const objects = events.map(({ data }) => data.object);
  expect(objects[0]).toEqual(first);
  expect(objects[1]).toMatchObject({ profile_id: first.profile_id, is_default: false, version: 2 });
  expect(objects[2]).toEqual(second);
  expect(objects[3]).toEqual(changed.body);
  expect(objects[4]).toEqual(rule.body);
  expect(objects[5]).toEqual(disabled.body);
  expect(objects[7]).toMatchObject({ profile_id: first.profile_id, zones: expect.any(Array) });
  const { body } = await seller.call<{ data: unknown[] }>('GET', '/webhooks/events?types=shipping_profile.*');
  expect(body.data).toHaveLength(5);
  expect(await marketplaceEvents(app, other, 'shipping_', 0)).toEqual([]);
});
