/** The provider's pages for people: the hosted form that opens an account, and the dashboard. */
import { acts, BANKS, type Life } from './life.ts';
import { providerId } from './state.ts';

export interface PageAnswer {
  readonly status: number;
  readonly html?: string;
  readonly location?: string;
}

const SESSION_MS = 1_800_000;
const escaped = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
const html = (title: string, body: string): PageAnswer => ({
  status: 200,
  html: `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1>${body}</html>`,
});
const GONE: PageAnswer = {
  status: 410,
  html: '<!doctype html><title>Link expired</title><p>This link was used or has expired.</p>',
};

/** Opens a link; it is valid once, for five minutes. */
export function openLink({ state, now }: Life, token: string, kind: 'onboarding' | 'dashboard'): PageAnswer {
  const link = state.links[token];
  delete state.links[token];
  const account = link && state.accounts[link.account];
  if (link?.kind !== kind || account === undefined) return GONE;
  if (link.expires_at < now())
    return link.refresh_url === '' ? GONE : { status: 303, location: link.refresh_url };
  if (kind === 'dashboard')
    return html('Payouts', `<p>Balance: ${account.balance}. Bank account: ${account.bank ?? 'none'}.</p>`);
  const session = providerId('set');
  state.links[session] = { ...link, kind: 'session', expires_at: now() + SESSION_MS };
  return html(
    'Open your payout account',
    `<p>A local page: nothing leaves this machine. The names “Papers” and “Refused” lead elsewhere than to a review.</p>
     <form method="post" action="/setup/${escaped(session)}">
       <p><label>Name <input name="name" value="June Wattle"></label></p>
       <p><label>Address <input name="address" value="18 Wattle Lane, Castlemaine"></label></p>
       <p><label>Bank account <input name="bank" value="${BANKS.works}"></label></p>
       <button>Submit</button>
     </form>`,
  );
}

/** Takes what the form holds and sends the browser back. */
export function submitForm(life: Life, session: string, form: URLSearchParams): PageAnswer {
  const link = life.state.links[session];
  if (link?.kind !== 'session' || link.expires_at < life.now()) return GONE;
  delete life.state.links[session];
  acts.submit(life, link.account, form.get('name') ?? '', form.get('bank') ?? '');
  return { status: 303, location: link.return_url };
}
