import type { TestSeller } from './app.ts';

/** An endpoint without a receiver, a delivery and a replay of a seller, for the tests of every route. */
export async function webhookObjects(seller: TestSeller): Promise<Record<string, string>> {
  const made = async (path: string, json?: object): Promise<Record<string, string>> => {
    const answer = await seller.call<Record<string, string>>('POST', `/webhooks/${path}`, json && { json });
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  };
  const endpoint = { url: 'https://hooks.example.test/', event_types: ['product.*'] };
  const { endpoint_id = '' } = await made('endpoints', endpoint);
  const { delivery_id = '' } = await made(`endpoints/${endpoint_id}/test`);
  const { replay_id = '' } = await made(`endpoints/${endpoint_id}/replay`, { from: '2020-01-01T00:00:00Z' });
  return { endpoint_id, delivery_id, replay_id };
}
