import Type, { type Static } from 'typebox';
import { Instant, Nullable, SHA_256 } from '../../kernel/schema.ts';
import { Role } from '../sellers/index.ts';
import type { Acceptance as AcceptanceRow } from './store/acceptances.ts';
import type { AgreementVersion as VersionRow } from './store/versions.ts';

const Digest = (description: string) => Type.String({ description, ...SHA_256 });
const day = (description: string) => Type.String({ format: 'date', description });

/** What every view of a version shows. */
export const versionFields = {
  version: Type.String({ description: 'The marketplace’s name of the version' }),
  title: Type.String({ description: 'Title of the terms' }),
  text_sha256: Digest('SHA-256 of the text in UTF-8, in hexadecimal digits'),
  url: Type.String({ description: 'Where the marketplace shows the text' }),
  effective_on: day('From which day the version holds'),
};
export const Version = Type.Object(
  {
    ...versionFields,
    reacceptance_by: Nullable(
      day('Last day for the acceptance; null: sellers that accepted an older version need not accept it'),
    ),
    summary_of_changes: Type.Array(Type.String(), { description: 'What the version changes, in sentences' }),
    published_at: Instant({ description: 'When the marketplace published the version' }),
  },
  { title: 'AgreementVersion', description: 'A version of the marketplace’s terms.' },
);

export const VERSION_EXAMPLE = {
  version: '3',
  title: 'Terms of sale',
  text_sha256: '6b23d25ed1db2f48bbd0386295edb6e5127fd4f3d3e6ab1adba5bd30f6c8a2ac',
  url: 'https://marketplace.example/terms/3',
  effective_on: '2026-08-01',
  reacceptance_by: '2026-09-01',
  summary_of_changes: ['Fees are published.'],
  published_at: '2026-07-01T00:00:00.000Z',
};
export const TEXT_EXAMPLE = 'Terms of sale, version 3.\n\nFees are published.\n';

export function toWireVersion(row: VersionRow): Static<typeof Version> {
  const { version, title, text_sha256, url, effective_on, reacceptance_by, published_at } = row;
  const summary_of_changes = [...row.summary_of_changes];
  return {
    ...{ version, title, text_sha256, url, effective_on },
    ...{ reacceptance_by, summary_of_changes, published_at },
  };
}

export const Acceptance = Type.Object(
  {
    acceptance_id: Type.String({ description: 'Id of the acceptance, `acc_…`' }),
    version: versionFields.version,
    text_sha256: Digest('Digest of the text that was accepted'),
    member_id: Type.String({ description: 'The owner that accepted' }),
    roles: Type.Array(Role, { description: 'The roles of this member at that time' }),
    accepted_at: Instant({ description: 'When the version was accepted' }),
    aal: Type.String({ description: 'Assurance level of the session' }),
    statement: Type.String({ description: 'What the owner declared' }),
    receipt: Type.String({
      description:
        'The acceptance as canonical JSON: sorted keys, no blanks. Keep it; its SHA-256 is `receipt_sha256`',
    }),
    receipt_sha256: Digest('SHA-256 of `receipt` in UTF-8, in hexadecimal digits'),
  },
  { title: 'AgreementAcceptance', description: 'Proof that the seller accepted a version of the terms.' },
);

export const ACCEPTANCE_EXAMPLE: Static<typeof Acceptance> = {
  acceptance_id: 'acc_01j0000000000000000000000',
  version: '3',
  text_sha256: VERSION_EXAMPLE.text_sha256,
  member_id: 'mbr_01j0000000000000000000000',
  roles: ['owner'],
  accepted_at: '2026-07-02T01:00:00.000Z',
  aal: 'aal2',
  statement: 'I accept these terms for Blue Mugs.',
  receipt:
    '{"aal":"aal2","accepted_at":"2026-07-02T01:00:00.000Z","member_id":"mbr_01j0000000000000000000000","seller_id":"slr_01j0000000000000000000000","statement":"I accept these terms for Blue Mugs.","tax_id":"51824753556","text_sha256":"6b23d25ed1db2f48bbd0386295edb6e5127fd4f3d3e6ab1adba5bd30f6c8a2ac","version":"3"}',
  receipt_sha256: 'e34af20b84dfc06e033d33fe616236630b20611aff2dbd2274b827274c52f71e',
};

export const toWireAcceptance = ({ roles, ...rest }: AcceptanceRow): Static<typeof Acceptance> => ({
  ...rest,
  roles: [...roles],
});
