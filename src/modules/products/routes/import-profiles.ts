/**
 * Import profiles: detect what a file is, and import it as an ordinary feed run.
 * Source: docs/design/feeds-and-imports.md#import-profiles.
 */
import Type from 'typebox';
import { StringEnum, withDefault } from '../../../kernel/schema.ts';
import { defineRoute } from '../../../platform/http/define-route.ts';
import { feedErrors, feedFailure } from '../actions/feed-errors.ts';
import { importProfile, inspectProfile } from '../actions/feeds/import-profile.ts';
import { withUpload } from '../actions/feeds/receive-feed.ts';
import { CONTENT_TYPES } from '../domain/feed-run/formats.ts';
import { BRAND_MAX } from '../domain/fields/limits.ts';
import { PROFILE_NAMES, SECOND_HEADER_CHOICES } from '../domain/profiles/profile.ts';
import { DetectAnswerSchema } from '../schemas/detect.ts';
import { DETECT_EXAMPLE } from '../schemas/detect-example.ts';
import { OnError } from '../schemas/enums.ts';
import { PROFILE_MEDIA } from '../schemas/feed-files.ts';
import { CONTENT_ENCODING, UPLOAD_HEADERS } from '../schemas/upload-headers.ts';
import { runAnswers, uploadErrors } from './feed-runs.ts';

const FEED_TIMEOUT_MS = 660_000;
const body = {
  kind: 'stream',
  contentTypes: CONTENT_TYPES,
  description: 'The export file as the platform gave it, raw or as the one file of a multipart body',
  example: 'Handle,Title,Variant SKU,Variant Price\nblue-mug,Blue mug,MUG-BLU,24.99\n',
  media: PROFILE_MEDIA,
} as const;

export const profileRoutes = [
  defineRoute({
    id: 'products.import_profiles.detect',
    method: 'POST',
    path: '/import-profiles/detect',
    summary: 'Which profile a file matches, with the evidence',
    description: 'Stores nothing. Not gated by the plan.',
    access: { auth: 'seller', permission: 'catalogue:read', rate: 'feed', idempotency: 'none' },
    headers: [CONTENT_ENCODING],
    body,
    tx: 'own',
    timeoutMs: FEED_TIMEOUT_MS,
    ok: [
      {
        status: 200,
        description: 'What was found, also when nothing matches; what is no text file is 415',
        schema: DetectAnswerSchema,
        example: DETECT_EXAMPLE,
      },
    ],
    errors: [
      feedErrors.feed_too_large,
      feedErrors.feed_content_type,
      feedErrors.feed_validation_failed,
      feedErrors.feed_no_room,
    ],
    handler: (ctx, request) =>
      withUpload(ctx, request, async (upload, limits, currency) => {
        const { answer, refusal } = await inspectProfile(upload, limits, currency);
        if (refusal?.status !== 415) return { body: answer };
        const { code, message: detail } = refusal;
        throw feedFailure(feedErrors.feed_content_type, { code, detail, facts: { detection: answer } });
      }),
  }),
  defineRoute({
    id: 'products.import_profiles.import',
    method: 'POST',
    path: '/import-profiles',
    summary: 'Import an export file of another platform',
    description:
      'An ordinary feed run of kind `profile_import`. The file is detected again; a stated profile that it does not match is refused.',
    access: {
      auth: 'seller',
      permission: 'catalogue:write',
      rate: 'feed',
      idempotency: 'optional',
      plan: 'import_profiles',
      planOption: 'async_feeds',
    },
    headers: UPLOAD_HEADERS,
    query: Type.Object({
      profile: Type.Optional(
        StringEnum(['auto', ...PROFILE_NAMES], {
          default: 'auto',
          description: 'Profile that the file must match; `auto` takes the one that is detected',
        }),
      ),
      on_error: Type.Optional(withDefault('continue', OnError)),
      dry_run: Type.Optional(
        Type.Boolean({
          default: false,
          description:
            'Shows what the run would do and writes nothing else; `commit` then applies exactly that',
        }),
      ),
      on_second_header: Type.Optional(
        StringEnum(SECOND_HEADER_CHOICES, {
          description:
            'What to do with the records behind a second header row inside an auction file: `stop` (default) refuses the file, `keep` reads them under the first header, `remap` under the second',
        }),
      ),
      shop_name: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: BRAND_MAX,
          description:
            'Handmade listings: identify products by MPN and brand, with this name as brand and the SKU as MPN; absent: they are stated as handmade',
        }),
      ),
    }),
    body,
    tx: 'own',
    timeoutMs: FEED_TIMEOUT_MS,
    ok: runAnswers('profile_import'),
    errors: uploadErrors,
    handler: importProfile,
  }),
];
