import type { Configuration, Logger } from '../../../kernel/context.ts';
import { shippingSettings } from '../settings.ts';
import type { CarrierAdapter } from './adapter.ts';
import { australiaPost } from './australia-post.ts';
import { longestMs } from './json-client.ts';
import { ownCarrier } from './own.ts';

/** The connected carriers: the built-in one, and those with which the operator has an account. */
export function carrierAdapters(config: Configuration, log: Logger): readonly CarrierAdapter[] {
  const values = shippingSettings.of(config);
  const { CARRIER_API_KEY: apiKey, CARRIER_API_PASSWORD: password, CARRIER_API_ACCOUNT: account } = values;
  if (apiKey === undefined || password === undefined || account === undefined) return [ownCarrier];
  const baseUrl = values.CARRIER_API_BASE_URL;
  const timeoutMs = values.CARRIER_API_TIMEOUT_MS;
  return [ownCarrier, australiaPost({ baseUrl, apiKey, password, account, timeoutMs, log })];
}

/** The adapter of a carrier; undefined if the carrier is not connected. Its labels are then bought elsewhere. */
export function adapterOf(config: Configuration, log: Logger, carrier: string): CarrierAdapter | undefined {
  return carrierAdapters(config, log).find((adapter) => adapter.carrier === carrier);
}

/** The longest that a call of a carrier takes, in milliseconds. */
export const longestCallMs = (config: Configuration): number =>
  longestMs(shippingSettings.of(config).CARRIER_API_TIMEOUT_MS);
