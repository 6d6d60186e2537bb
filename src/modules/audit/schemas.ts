import Type, { type Static } from 'typebox';
import type { CsvColumn } from '../../kernel/csv-writer.ts';
import { Instant, Nullable, StringEnum } from '../../kernel/schema.ts';
import type { SealedEntry } from '../../platform/audit/entries.ts';
import { ACTOR_KINDS, RESULTS } from '../../platform/audit/record-activity.ts';

export const ActorKind = StringEnum(ACTOR_KINDS, {
  title: 'AuditActorKind',
  description: 'Kind of the actor',
});
export const Result = StringEnum(RESULTS, {
  title: 'AuditResult',
  description: '`replayed`: an answer to a repeated Idempotency-Key; nothing was done again',
});

const text = (description: string) => Nullable(Type.String({ description }));
const texts = (description: string) => Nullable(Type.Array(Type.String(), { description }));

export const AuditEntry = Type.Object(
  {
    audit_id: Type.String({ description: 'Id of the entry, `aud_…`' }),
    at: Instant({ description: 'When it was decided' }),
    actor_kind: ActorKind,
    actor_id: text('Id of the member; null for the marketplace'),
    actor_email: text('E-mail address that the member has now; it is not part of the chain'),
    roles: texts('Roles of the member at that time'),
    aal: text('Authenticator assurance level of the session'),
    action: Type.String({ description: 'Operation id of the route, or type of the marketplace’s event' }),
    target_type: text('Kind of the object'),
    target_id: text('Id of the object'),
    result: Result,
    status: Nullable(Type.Integer({ description: 'HTTP status of the answer' })),
    code: text('Code of the refusal'),
    changed_fields: texts('Names of the changed fields; values are never stored'),
    counts: Nullable(
      Type.Record(Type.String(), Type.Integer(), {
        description: 'Numbers of bulk work',
        title: 'AuditCounts',
      }),
    ),
    request_id: text('`X-Request-Id` of the request'),
    ip_prefix: text('Network of the client: the first 24 bits of an IPv4 address, 48 of an IPv6 address'),
    user_agent_family: text('Name of the client’s program, without its version'),
    seq: Nullable(
      Type.Integer({ description: 'Number in the chain; null until the entry is sealed, within a second' }),
    ),
    prev_hash: text('Hash of the entry before'),
    hash: text('SHA-256 of the canonical form of the entry without this field'),
  },
  { title: 'AuditEntry', description: 'One decision about a request or an event.' },
);

export const ENTRY_EXAMPLE: Static<typeof AuditEntry> = {
  audit_id: 'aud_06fh5m2k9x0008m1q4t7v2w5y8',
  at: '2026-07-01T01:05:00.000Z',
  actor_kind: 'member',
  actor_id: 'mbr_06fh5m2k9x0008m1q4t7v2w5y8',
  actor_email: 'mia@example.com',
  roles: ['owner'],
  aal: 'aal2',
  action: 'products.update',
  target_type: 'product',
  target_id: 'prd_06fh5m2k9x0008m1q4t7v2w5y8',
  result: 'done',
  status: 200,
  code: null,
  changed_fields: ['price_minor'],
  counts: null,
  request_id: 'req_06fh5m2k9x0008m1q4t7v2w5y8',
  ip_prefix: '203.0.113.0/24',
  user_agent_family: 'Firefox',
  seq: 2,
  prev_hash: 'cee0f1671b103b9c1612b44df151cf01080e5ef72e44af537a4012b223d1ffd8',
  hash: '353dad36c836b5f319d6e5db2fb5836b146084755f373e4adf82f72b786e3cad',
};

export const Verification = Type.Object(
  {
    from_seq: Type.Integer({ description: 'Number of the oldest entry that is kept, or of the next one' }),
    to_seq: Type.Integer({ description: 'Number of the last entry; 0 without entries' }),
    anchor_hash: Type.String({ description: 'Hash before the oldest entry; 64 zeros before the first one' }),
    head_hash: Type.String({ description: 'Hash of the last entry' }),
    valid: Type.Boolean({ description: 'Whether every entry is as it was sealed, and none is missing' }),
    first_break: Nullable(
      Type.Integer({ description: 'Number of the first entry that was changed or is missing' }),
    ),
    checked_at: Instant({ description: 'When the service read the chain' }),
  },
  { title: 'AuditVerification', description: 'The result of following the chain of hashes.' },
);

export const VERIFICATION_EXAMPLE: Static<typeof Verification> = {
  from_seq: 1,
  to_seq: 2,
  anchor_hash: '0'.repeat(64),
  head_hash: '353dad36c836b5f319d6e5db2fb5836b146084755f373e4adf82f72b786e3cad',
  valid: true,
  first_break: null,
  checked_at: '2026-07-02T03:00:00.000Z',
};

const NUMBERS: readonly string[] = ['seq', 'status'];

/** Lists are joined by blanks; counts are JSON. */
function cellOf(value: SealedEntry[keyof SealedEntry]): string | number | null {
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? value.join(' ') : JSON.stringify(value);
}

/** The fields of an entry except the address, which may change. */
export const COLUMNS: readonly CsvColumn<SealedEntry>[] = Object.keys(AuditEntry.properties)
  .filter((name) => name !== 'actor_email')
  .map((name) => ({
    name,
    kind: NUMBERS.includes(name) ? 'number' : name === 'at' ? 'date' : 'text',
    value: (entry) => cellOf(entry[name as keyof SealedEntry]),
  }));
