/** Checks the form of an endpoint's address. Whether it is public is checked at each call. */

interface UrlProblem {
  readonly type: string;
  readonly msg: string;
}

/** Of the ports below this one only 80 and 443 are allowed. No receiver listens on the port of a mail server. */
const SYSTEM_PORTS_END = 1_024;
const WEB_PORTS = new Set([80, 443]);
/** Higher ports that browsers refuse, because other protocols listen there (WHATWG Fetch, "bad port"). */
const OTHER_PROTOCOLS = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
  10080,
]);

const portOf = (url: URL): number =>
  url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);

/**
 * Reads an address.
 *
 * @param httpsOnly true in production
 * @returns the URL, or why it is refused
 */
export function checkUrl(text: string, httpsOnly: boolean): URL | UrlProblem {
  // The parser silently removes spaces and line ends.
  const url = URL.canParse(text) && !/[\s\p{Cc}]/u.test(text) ? new URL(text) : undefined;
  // The parser also completes half an address.
  if (url === undefined || !/^https?:\/\//i.test(text))
    return { type: 'url_invalid', msg: 'Must be a complete address beginning with https://.' };
  if (httpsOnly && url.protocol !== 'https:')
    return { type: 'url_https_required', msg: 'Must begin with https://.' };
  if (url.username !== '' || url.password !== '')
    return {
      type: 'url_userinfo',
      msg: 'Must not hold a user name or password; the signature says who calls.',
    };
  const port = portOf(url);
  if ((port < SYSTEM_PORTS_END && !WEB_PORTS.has(port)) || OTHER_PROTOCOLS.has(port))
    return {
      type: 'url_port_refused',
      msg: `Port ${port} belongs to another protocol. Use ${httpsOnly ? 443 : '80, 443'} or a port from 1024 up, for example ${httpsOnly ? 8443 : 8080}.`,
    };
  return url;
}
