/** `marketplace.agreement.published`: a version of the terms that sellers accept. */
import Type, { type Static } from 'typebox';
import { sha256Hex } from '../../../kernel/digest.ts';
import {
  defineMarketplaceEvent,
  type IntakeCtx,
  type IntakeOutcome,
  IntakeRejection,
  type MarketplaceEvent,
} from '../../../kernel/events.ts';
import { allows, DAY_FROM_2000, Nullable, SHA_256, WEB_ADDRESS } from '../../../kernel/schema.ts';
import { TEXT_EXAMPLE, VERSION_EXAMPLE } from '../schemas.ts';
import { findVersion, insertVersion } from '../store/versions.ts';

const TEXT_BYTES_MAX = 256 * 1024;
/** The API shows the day to people; the calendar library reads it. */
const Day = () => Type.String({ format: 'date', ...DAY_FROM_2000, description: 'Sydney day' });

/** The version stands in a path, from which clients remove a segment of one or two dots. */
const Version = Type.String({
  minLength: 1,
  maxLength: 64,
  ...allows('^(?!\\.{1,2}$)', 'Must not be `.` or `..`.'),
});

const Data = Type.Object({
  version: Version,
  title: Type.String({ minLength: 1, maxLength: 200 }),
  text_sha256: Type.String({ ...SHA_256, description: 'SHA-256 of the text in UTF-8' }),
  url: Type.String({ ...WEB_ADDRESS, maxLength: 2_000 }),
  effective_on: Day(),
  reacceptance_by: Type.Optional(Nullable(Day())),
  text: Type.Optional(
    Nullable(
      Type.String({ maxLength: TEXT_BYTES_MAX, description: 'Plain text or Markdown, at most 256 KiB' }),
    ),
  ),
  summary_of_changes: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 1_000 }), { maxItems: 100 }),
  ),
});

async function applyPublished(
  { db, now }: IntakeCtx,
  { data, subject, time }: MarketplaceEvent<Static<typeof Data>>,
): Promise<IntakeOutcome> {
  const { version, text = null, reacceptance_by = null, summary_of_changes = [] } = data;
  if (subject !== null && subject !== version)
    throw new IntakeRejection('data_invalid', 'subject and data/version name different versions');
  if (text !== null && Buffer.byteLength(text) > TEXT_BYTES_MAX)
    throw new IntakeRejection('data_invalid', 'data/text has more than 256 KiB in UTF-8');
  if (text !== null && sha256Hex(text) !== data.text_sha256)
    throw new IntakeRejection('text_mismatch', 'data/text_sha256 is not the SHA-256 of data/text in UTF-8');
  const received_at = new Date(now()).toISOString();
  const row = { ...data, text, reacceptance_by, summary_of_changes, published_at: time, received_at };
  if (await insertVersion(db, row)) return { status: 'applied' };
  const known = await findVersion(db, version);
  if (known?.text_sha256 === data.text_sha256) return { status: 'stale' };
  throw new IntakeRejection(
    'version_reused',
    `The version ${version} was published before with another text; publish a change as a new version.`,
  );
}

export const agreementPublished = defineMarketplaceEvent({
  type: 'marketplace.agreement.published',
  summary:
    'A version of the terms; sellers are asked to accept the newest by `effective_on`, then by the time of the event. A version never changes',
  subject: 'agreement version',
  schema: Data,
  example: {
    version: VERSION_EXAMPLE.version,
    title: VERSION_EXAMPLE.title,
    text_sha256: VERSION_EXAMPLE.text_sha256,
    url: VERSION_EXAMPLE.url,
    effective_on: VERSION_EXAMPLE.effective_on,
    reacceptance_by: VERSION_EXAMPLE.reacceptance_by,
    text: TEXT_EXAMPLE,
    summary_of_changes: VERSION_EXAMPLE.summary_of_changes,
  },
  example_subject: VERSION_EXAMPLE.version,
  apply: applyPublished,
});
