import Type from 'typebox';
import { coreErrors, requireFound } from '../../kernel/errors.ts';
import { allows, Extended, Instant, Nullable, StringEnum } from '../../kernel/schema.ts';
import { DONE, sellerCalls, waitingFields, waitingOf } from '../../kernel/waiting.ts';
import { defineRoute, okJson } from '../../platform/http/define-route.ts';
import { reads, writes } from '../../platform/rest/access.ts';
import { pageRoute } from '../../platform/rest/page-route.ts';
import { sellerErrors } from '../sellers/index.ts';
import { acceptVersion } from './actions/accept-version.ts';
import { readStatus } from './actions/read-status.ts';
import { AGREEMENT_STATUSES } from './domain/duty.ts';
import { agreementErrors } from './errors.ts';
import {
  ACCEPTANCE_EXAMPLE,
  Acceptance,
  TEXT_EXAMPLE,
  toWireAcceptance,
  toWireVersion,
  VERSION_EXAMPLE,
  Version,
} from './schemas.ts';
import { acceptances } from './store/acceptances.ts';
import { findVersion, listVersions, placeOf } from './store/versions.ts';

const read = reads('settings', 'setup');
const Status = Type.Object(
  {
    status: StringEnum(AGREEMENT_STATUSES, {
      title: 'AgreementStatus',
      description: 'Whether the terms are accepted; `due_soon` is less than 14 days before the due date',
    }),
    current: Nullable(Version),
    accepted: Nullable(
      Type.Object(
        {
          version: Type.String({ description: 'The accepted version' }),
          accepted_at: Instant({ description: 'When it was accepted' }),
        },
        { title: 'AcceptedVersion', description: 'The newest version that the seller has accepted.' },
      ),
    ),
    due_at: Nullable(Instant({ description: 'By when an owner must accept; null: nothing is due' })),
    ...waitingFields,
    can_accept: Type.Boolean({ description: 'Whether the member of this request may accept `current` now' }),
    statement: Type.String({ description: 'The sentence that an acceptance sends' }),
  },
  { title: 'AgreementState', description: 'What the marketplace’s terms ask of the seller.' },
);

const accept = sellerCalls('/api/v1/seller-agreement/acceptances', 'An owner accepts the current version.');

const state = defineRoute({
  id: 'seller_agreement.get',
  method: 'GET',
  path: '',
  summary: 'Read which terms hold and whether they are accepted',
  description:
    'While the acceptance is overdue, routes that create or activate products answer 403 `agreement_required`; everything else works.',
  access: read,
  ok: okJson('The state of the agreement', Status, {
    status: 'pending',
    current: VERSION_EXAMPLE,
    accepted: { version: '2', accepted_at: '2026-01-15T02:30:00.000Z' },
    due_at: '2026-09-01T14:00:00.000Z',
    ...accept,
    can_accept: true,
    statement: ACCEPTANCE_EXAMPLE.statement,
  }),
  errors: [],
  handler: async (ctx) => {
    const { status, newest, accepted, due_at, is_active, can_accept, statement } = await readStatus(ctx);
    return {
      body: {
        status,
        current: newest === undefined ? null : toWireVersion(newest),
        accepted:
          accepted === undefined ? null : { version: accepted.version, accepted_at: accepted.accepted_at },
        due_at,
        ...(due_at === null ? DONE : waitingOf(is_active, accept)),
        can_accept,
        statement,
      },
    };
  },
});

const versions = pageRoute({
  id: 'seller_agreement.versions.list',
  path: '/versions',
  summary: 'List the versions of the terms',
  description: 'Newest first: by their first day, then by the instant of their publication.',
  access: read,
  schema: Version,
  example: VERSION_EXAMPLE,
  read: ({ db }, { after, limit }) => listVersions(db, after, limit + 1),
  position: placeOf,
  view: toWireVersion,
});

const VersionWithText = Extended(
  Version,
  { text: Nullable(Type.String({ description: 'Plain text or Markdown; null: it is at `url` only' })) },
  { title: 'AgreementText', description: 'A version of the marketplace’s terms with its text.' },
);

const version = defineRoute({
  id: 'seller_agreement.versions.get',
  method: 'GET',
  path: '/versions/{version}',
  summary: 'Read a version of the terms',
  description: 'With its text, which is what the digest is made from.',
  access: read,
  params: Type.Object({ version: Type.String({ description: 'Name of the version' }) }),
  ok: okJson('The version', VersionWithText, { ...VERSION_EXAMPLE, text: TEXT_EXAMPLE }),
  errors: [coreErrors.not_found],
  handler: async ({ db }, { params }) => {
    const row = requireFound(await findVersion(db, params.version));
    return { body: { ...toWireVersion(row), text: row.text }, etag: row.text_sha256 };
  },
});

const acceptance = { schema: Acceptance, example: ACCEPTANCE_EXAMPLE };
const create = defineRoute({
  id: 'seller_agreement.acceptances.create',
  method: 'POST',
  path: '/acceptances',
  summary: 'Accept the current version of the terms',
  description:
    'For owners. Send the digest of the text that was shown, and `statement` of `GET /seller-agreement`. Accepting the newest version covers the older ones; a version that is accepted already is answered 200 with the first acceptance.',
  access: writes('standing', 'setup'),
  body: {
    kind: 'json',
    schema: Type.Object(
      {
        version: Type.String({ minLength: 1, maxLength: 64, description: 'The version to accept' }),
        text_sha256: Type.String({
          ...allows('^[0-9a-f]{64}$', 'Send the 64 hexadecimal digits of the SHA-256, in small letters.'),
          description: 'SHA-256 of the text that was shown, in UTF-8',
        }),
        statement: Type.String({ minLength: 1, maxLength: 1_000, description: 'The sentence of the state' }),
      },
      { title: 'AcceptanceInput', description: 'What an owner accepts.' },
    ),
    example: {
      version: VERSION_EXAMPLE.version,
      text_sha256: VERSION_EXAMPLE.text_sha256,
      statement: ACCEPTANCE_EXAMPLE.statement,
    },
  },
  ok: [
    { status: 201, description: 'Accepted', ...acceptance },
    { status: 200, description: 'It was accepted before', ...acceptance },
  ],
  errors: [
    sellerErrors.owner_required,
    agreementErrors.agreement_text_mismatch,
    agreementErrors.version_superseded,
  ],
  handler: async (ctx, { body }) => {
    const { acceptance: row, isNew } = await acceptVersion(ctx, body);
    return { status: isNew ? 201 : 200, body: toWireAcceptance(row) };
  },
});

const list = pageRoute({
  id: 'seller_agreement.acceptances.list',
  path: '/acceptances',
  summary: 'List the acceptances of the seller',
  description: 'Newest first, with their receipts.',
  access: read,
  ...acceptance,
  read: (ctx, { after, limit }) =>
    acceptances.page(ctx, { order: ['acceptance_id'], descending: true, after, limit }),
  position: ({ acceptance_id }) => [acceptance_id],
  view: toWireAcceptance,
});

export const agreementRoutes = [state, versions, version, create, list];
