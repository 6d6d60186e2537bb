import { afterAll, expect, test } from 'vitest';
import { ABR_GUID, type AbrMode, startAbrServer } from '../../../../test/support/abr-server.ts';
import { askRegister } from './ask-register.ts';

const server = await startAbrServer();
afterAll(() => server.stop());

const lines: string[] = [];
const note = (fields: object, message: string): void => {
  lines.push(JSON.stringify({ ...fields, message }));
};
const log = { debug: note, info: note, warn: note, error: note };
const register = { baseUrl: server.url, guid: ABR_GUID };

test('the service is asked with number, GUID and callback', async () => {
  server.mode = 'normal';
  expect(await askRegister(register, '51824753556', log)).toMatchObject({ status: 'found' });
  expect(Object.fromEntries(server.asked.at(-1) ?? [])).toEqual({
    abn: '51824753556',
    guid: ABR_GUID,
    callback: 'callback',
  });
});

test.each([server.url, `${server.url}/`, `${server.url}/json`, `${server.url}/json/`])(
  'the address %s reaches the service',
  async (baseUrl) => {
    server.mode = 'normal';
    expect((await askRegister({ ...register, baseUrl }, '51824753556', log)).status).toBe('found');
  },
);

test('an unknown number is not found, in either wording', async () => {
  server.mode = 'normal';
  expect(await askRegister(register, '11004089936', log)).toEqual({ status: 'not_found' });
  expect(await askRegister(register, '88000014675', log)).toEqual({ status: 'not_found' });
});

test.each<AbrMode>(['silent', 'status_503', 'maintenance_page', 'redirect', 'cut_off', 'problem', 'endless'])(
  'a register that is %s is unavailable within the time limit',
  async (mode) => {
    server.mode = mode;
    const begun = performance.now();
    expect((await askRegister(register, '51824753556', log, 400)).status).toBe('unavailable');
    expect(performance.now() - begun).toBeLessThan(2_000);
  },
);

test('a wrong GUID or an address without a listener is unavailable, and the GUID is never logged', async () => {
  server.mode = 'normal';
  expect((await askRegister({ ...register, guid: 'wrong-guid' }, '51824753556', log)).status).toBe(
    'unavailable',
  );
  const unreachable = { ...register, baseUrl: 'http://127.0.0.1:1' };
  expect((await askRegister(unreachable, '51824753556', log)).status).toBe('unavailable');
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.join('\n')).not.toContain(ABR_GUID);
  expect(lines.join('\n')).not.toContain('wrong-guid');
});
