/** The terms that the demo marketplace publishes and its shop accepts, and the proof of who owns the shop. */
import { addDays } from '../../src/kernel/australia/settlement-period.ts';
import { sydneyDate } from '../../src/kernel/australia/sydney.ts';
import { sha256Hex } from '../../src/kernel/digest.ts';
import { demoEvent } from '../demo-event.ts';
import { isObject, type Json, listOf, textOf } from '../shop-owner.ts';
import { post, type Replay, send } from './replay.ts';

/** Days from the publishing of the second version until it holds, and until sellers must have accepted it. */
const HOLDS_AFTER = 14;
const ACCEPTED_WITHIN = 30;
/** A page without content, as a scanner would send it. */
const SCAN = [
  '%PDF-1.7',
  '1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj',
  '2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj',
  '3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >> endobj',
  'trailer << /Root 1 0 R >>',
  'startxref',
  '0',
  '%%EOF',
  '',
].join('\n');

/** The marketplace publishes a version of its terms. @returns the digest of their text */
async function publish(replay: Replay, at: number, version: string, more: object): Promise<string> {
  const text = `Terms of sale, version ${version}.\n\nFees are published.\n`;
  const text_sha256 = sha256Hex(text);
  const url = `https://marketplace.example/terms/${version}`;
  const data = { version, title: 'Terms of sale', text, text_sha256, url, ...more };
  const about = { subject: version, at, data };
  await send(replay, [
    demoEvent({ id: `past-terms-${version}-${sydneyDate(at)}`, type: 'agreement.published', ...about }),
  ]);
  return text_sha256;
}

/** The shop accepts the first version of the terms. */
async function acceptTerms(replay: Replay, at: number): Promise<void> {
  const text_sha256 = await publish(replay, at, '1', { effective_on: sydneyDate(at) });
  const { body } = await replay.owner.get('/seller-agreement');
  const statement = isObject(body) ? body['statement'] : '';
  await post(replay, '/seller-agreement/acceptances', 'past-terms', { version: '1', text_sha256, statement });
}

const caseOf = async ({ owner }: Replay): Promise<Json> => {
  const { body } = await owner.get('/kyc');
  return isObject(body) ? body : {};
};

/** The marketplace asks who owns the shop, the owner sends documents, and the marketplace approves them. */
async function proveIdentity(replay: Replay, at: number): Promise<void> {
  const { owner, sellerId } = replay;
  const say = (type: string, data: object) =>
    send(replay, [
      demoEvent({ id: `past-kyc-${type}`, type: `kyc.${type}`, subject: sellerId, sellerId, at, data }),
    ]);
  await say('required', { required: true, entity_type: 'sole_trader' });
  for (const { item_id, code } of listOf((await caseOf(replay))['items'])) {
    const query = code === 'identity_document' ? '?type=passport' : '';
    await owner.post(
      `/kyc/items/${textOf(item_id)}/documents${query}`,
      `past-${textOf(item_id)}`,
      SCAN,
      'application/pdf',
    );
  }
  await post(replay, '/kyc/submissions', 'past-kyc', { declaration: true });
  const round = { round: (await caseOf(replay))['round'] };
  await say('review_started', round);
  await say('decided', { ...round, decision: 'approved' });
}

export async function openStanding(replay: Replay, at: number): Promise<void> {
  await acceptTerms(replay, at);
  await proveIdentity(replay, at);
}

/** The marketplace publishes a second version, which waits for the shop's owner. */
export async function changeTerms(replay: Replay, at: number): Promise<void> {
  const today = sydneyDate(at);
  await publish(replay, at, '2', {
    effective_on: addDays(today, HOLDS_AFTER),
    reacceptance_by: addDays(today, ACCEPTED_WITHIN),
    summary_of_changes: ['Parcels are handed over within two business days.'],
  });
}
