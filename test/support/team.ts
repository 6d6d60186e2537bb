/** People who are invited into a team: the link that the marketplace sends them, and what they do with it. */
import { randomUUID } from 'node:crypto';
import type { Answer, TestApp, TestSeller } from './app.ts';
import { runOn } from './test-server.ts';

export type Requester = Pick<TestSeller, 'call'>;
export interface Joined extends Requester {
  readonly token: string;
  readonly member_id: string;
  readonly email: string;
}
/** Claims of the person's marketplace session, in place of the usual ones. */
export type Claims = Readonly<Record<string, unknown>>;

export const someEmail = (): string => `m-${randomUUID()}@example.com`;

/** The token of an invitation, from the event for the marketplace, before the event has its number. */
export async function invitationToken(app: TestApp, memberId: string): Promise<string> {
  const { rows } = await runOn(app.database.adminUrl, (client) =>
    client.query<{ token: string }>(
      `select data->'object'->>'token' as token
         from outbox
        where type = 'seller.member_invited'
          and object_id = $1`,
      [memberId],
    ),
  );
  const token = rows[0]?.token;
  if (token === undefined) throw new Error(`no invitation of ${memberId}`);
  return token;
}

/** Invites a person, and returns the member's id. */
export async function invite(seller: Requester, json: object): Promise<string> {
  const { status, body, text } = await seller.call<{ member_id: string }>('POST', '/sellers/me/members', {
    json,
  });
  if (status !== 201) throw new Error(text);
  return body.member_id;
}

/** Accepts with a token of a link. */
export async function accept<Body = Record<string, unknown>>(
  app: TestApp,
  token: string,
  email: string,
  claims: Claims = {},
): Promise<Answer<Body>> {
  const session = await app.demo.mint({ email, aal: 'aal1', claims });
  return app.call<Body>('POST', `/api/v1/auth/invitations/${token}/accept`, {
    headers: { authorization: `Bearer ${session}` },
  });
}

/** Exchanges a session of the person, who then calls with the token. */
export async function signIn(app: TestApp, email: string): Promise<Pick<TestSeller, 'call' | 'token'>> {
  const { status, body, text } = await app.call<{ access_token: string }>('POST', '/api/v1/auth/exchange', {
    json: { marketplace_token: await app.demo.mint({ email }) },
  });
  if (status !== 200) throw new Error(text);
  const authorization = `Bearer ${body.access_token}`;
  return {
    token: body.access_token,
    call: (method, path, options) =>
      app.call(method, `/api/v1${path}`, { ...options, headers: { ...options?.headers, authorization } }),
  };
}

/** A new member of a team, signed in. */
export async function joinTeam(
  app: TestApp,
  seller: Requester,
  roles: readonly string[],
  email = someEmail(),
): Promise<Joined> {
  const member_id = await invite(seller, { email, roles });
  const { status, text } = await accept(app, await invitationToken(app, member_id), email);
  if (status !== 201) throw new Error(text);
  return { ...(await signIn(app, email)), member_id, email };
}
