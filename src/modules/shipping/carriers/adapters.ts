import type { Logger } from '../../../kernel/context.ts';
import type { Services } from '../../../platform/services.ts';
import type { CarrierAdapter } from './adapter.ts';
import { australiaPost } from './australia-post.ts';
import { longestMs } from './json-client.ts';
import { ownCarrier } from './own.ts';

type CarrierConfig = Pick<
  Services['config'],
  | 'CARRIER_API_BASE_URL'
  | 'CARRIER_API_KEY'
  | 'CARRIER_API_PASSWORD'
  | 'CARRIER_API_ACCOUNT'
  | 'CARRIER_API_TIMEOUT_MS'
>;

/** The carriers that can be asked: the built-in one, and those that the installation has an account with. */
export function carrierAdapters(config: CarrierConfig, log: Logger): readonly CarrierAdapter[] {
  const { CARRIER_API_KEY: apiKey, CARRIER_API_PASSWORD: password, CARRIER_API_ACCOUNT: account } = config;
  if (apiKey === undefined || password === undefined || account === undefined) return [ownCarrier];
  const baseUrl = config.CARRIER_API_BASE_URL;
  const timeoutMs = config.CARRIER_API_TIMEOUT_MS;
  return [ownCarrier, australiaPost({ baseUrl, apiKey, password, account, timeoutMs, log })];
}

/** The adapter of a carrier; undefined: labels of this carrier are bought elsewhere, only tracked here. */
export function adapterOf(config: CarrierConfig, log: Logger, carrier: string): CarrierAdapter | undefined {
  return carrierAdapters(config, log).find((adapter) => adapter.carrier === carrier);
}

/** How long a carrier may keep anybody waiting, in milliseconds. */
export const longestCallMs = ({ CARRIER_API_TIMEOUT_MS }: CarrierConfig): number =>
  longestMs(CARRIER_API_TIMEOUT_MS);
