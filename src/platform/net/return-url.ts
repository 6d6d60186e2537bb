/** Addresses that a browser is sent back to. Source: docs/design/wire.md#return-addresses. */
import type { Config } from '../../config.ts';
import { invalid } from '../../kernel/errors.ts';
import { isLoopback } from '../../kernel/setting.ts';

type ReturnConfig = Pick<Config, 'APP_ENV' | 'RETURN_URL_ORIGINS'>;

function isAllowed({ APP_ENV, RETURN_URL_ORIGINS: origins }: ReturnConfig, text: string): boolean {
  // An empty fragment leaves no trace in the parsed address.
  if (!URL.canParse(text) || text.includes('#')) return false;
  const url = new URL(text);
  const { protocol, username, password, origin } = url;
  if (username !== '' || password !== '') return false;
  const loopback = isLoopback(url);
  if (protocol !== 'https:' && !(protocol === 'http:' && loopback && APP_ENV !== 'production')) return false;
  return origins.includes(origin) || (origins.length === 0 && APP_ENV === 'development' && loopback);
}

/**
 * Checks an address of a request's body.
 *
 * @returns the address as it was parsed
 * @throws ApiError 422 `return_url_not_allowed` at the field
 */
export function requireReturnUrl(config: ReturnConfig, field: string, address: string): string {
  if (isAllowed(config, address)) return new URL(address).href;
  throw invalid([
    {
      loc: ['body', field],
      msg: 'Send an https address without credentials and fragment, of an origin that the operator allows (RETURN_URL_ORIGINS).',
      type: 'return_url_not_allowed',
    },
  ]);
}
