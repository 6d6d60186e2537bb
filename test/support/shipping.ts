/** One object of each kind of the shipping area. */
import { PROFILE_INPUT_EXAMPLE } from '../../src/modules/shipping/schemas/profile-examples.ts';
import { QUOTE_INPUT_EXAMPLE } from '../../src/modules/shipping/schemas/quote.ts';
import type { TestSeller } from './app.ts';

/** Ids by the names that paths have for them. */
export async function shippingObjects({ call }: TestSeller): Promise<Record<string, string>> {
  const profile = await call<{ profile_id: string }>('POST', '/shipping/profiles', {
    json: PROFILE_INPUT_EXAMPLE,
  });
  const { profile_id } = profile.body;
  const rule = await call<{ rule_id: string }>('POST', '/shipping/rules', {
    json: { name: 'Desks', profile_id, sku_prefixes: ['DESK-'] },
  });
  const quote = await call<{ quote_id: string }>('POST', '/shipping/quotes', { json: QUOTE_INPUT_EXAMPLE });
  return { profile_id, rule_id: rule.body.rule_id, quote_id: quote.body.quote_id };
}
