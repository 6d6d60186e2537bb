import { expect, test } from 'vitest';
import { userAgentFamily } from './user-agent-family.ts';

const CHROME =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36';

test.each([
  [CHROME, 'Chrome'],
  [`${CHROME} Edg/140.0`, 'Edge'],
  ['Mozilla/5.0 (X11; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox'],
  ['Mozilla/4.0 (compatible)', 'browser'],
  ['curl/8.5.0', 'curl'],
  ['python-requests/2.32', 'python-requests'],
  [`${'x'.repeat(100)}/1`, 'x'.repeat(32)],
  ['!?', null],
  [undefined, null],
])('of %s is %s', (header, family) => expect(userAgentFamily(header)).toBe(family));
