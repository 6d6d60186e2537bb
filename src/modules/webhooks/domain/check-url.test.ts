import { expect, test } from 'vitest';
import { checkUrl } from './check-url.ts';

test.each([
  'https://hooks.example.com/a?b=c',
  'https://hooks.example.com:8443/',
  'https://[2606:4700::1111]/hook',
  'https://xn--bcher-kva.example/',
])('%s is accepted', (text) => {
  expect(checkUrl(text, true)).toBeInstanceOf(URL);
});

test.each([
  ['ftp://example.com/', 'url_invalid'],
  ['file:///etc/passwd', 'url_invalid'],
  ['gopher://example.com/', 'url_invalid'],
  ['javascript:alert(1)', 'url_invalid'],
  ['//example.com/', 'url_invalid'],
  ['example.com', 'url_invalid'],
  ['https:example.com', 'url_invalid'],
  ['https:\\\\example.com', 'url_invalid'],
  ['https://', 'url_invalid'],
  ['https://exa mple.com/', 'url_invalid'],
  ['https://example.com/\nx', 'url_invalid'],
  [' https://example.com/', 'url_invalid'],
  ['http://example.com/', 'url_https_required'],
  ['https://user@example.com/', 'url_userinfo'],
  ['https://user:secret@example.com/', 'url_userinfo'],
  ['https://example.com:22/', 'url_port_refused'],
  ['https://example.com:25/', 'url_port_refused'],
  ['https://example.com:0/', 'url_port_refused'],
  ['https://example.com:6000/', 'url_port_refused'],
])('%s is refused: %s', (text, type) => {
  expect(checkUrl(text, true)).toMatchObject({ type });
});

test('outside production http is accepted', () => {
  expect(checkUrl('http://example.com:8080/', false)).toBeInstanceOf(URL);
});

test('a refused port is named with the ports that are allowed there', () => {
  expect(checkUrl('http://127.0.0.1:9/hook', false)).toEqual({
    type: 'url_port_refused',
    msg: 'Port 9 belongs to another protocol. Use 80, 443 or a port from 1024 up, for example 8080.',
  });
  expect(checkUrl('https://example.com:22/', true)).toMatchObject({
    msg: 'Port 22 belongs to another protocol. Use 443 or a port from 1024 up, for example 8443.',
  });
});
