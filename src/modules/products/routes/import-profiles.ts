/**
 * Import profiles: detect the format of another platform's export, and import it as a feed run.
 * Source: docs/design/feeds-and-imports.md#import-profiles.
 */

import Type from 'typebox';
import { StringEnum, withDefault } from '../../../kernel/schema.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { feedErrors, feedFailure } from '../actions/feed-errors.ts';
import { FEED_TIMEOUT_MS } from '../actions/feeds/commit-or-revert.ts';
import { inspectProfile, startImportRun } from '../actions/feeds/start-import-run.ts';
import { withUpload } from '../actions/feeds/start-run.ts';
import { CONTENT_TYPES } from '../domain/feed-run/formats.ts';
import { BRAND_MAX } from '../domain/fields/limits.ts';
import { PROFILE_NAMES, SECOND_HEADER_CHOICES } from '../domain/profiles/profile.ts';
import { DetectAnswerSchema } from '../schemas/detect.ts';
import { DETECT_EXAMPLE } from '../schemas/detect-example.ts';
import { OnError } from '../schemas/enums.ts';
import { PROFILE_CSV, PROFILE_MEDIA } from '../schemas/feed-files.ts';
import { CONTENT_ENCODING, DryRun, UPLOAD_HEADERS } from '../schemas/upload-options.ts';
import { runAnswers, uploadErrors } from './feed-runs.ts';

const body = {
  kind: 'stream',
  // No platform exports JSON: the route accepts such a file but recognises no profile.
  contentTypes: CONTENT_TYPES.filter((type) => !type.includes('json')),
  description:
    'The unchanged export file of the platform, as the body or as the only file of a multipart body',
  example: PROFILE_CSV,
  media: PROFILE_MEDIA,
} as const;

export const profileRoutes = [
  defineRoute({
    id: 'products.import_profiles.detect',
    method: 'POST',
    path: '/import-profiles/detect',
    summary: 'Detect the import profile of a file',
    description: 'Stores nothing. Every plan may use it.',
    access: { auth: 'seller', permission: 'catalogue:read', rate: 'feed', idempotency: 'none' },
    headers: [CONTENT_ENCODING],
    body,
    tx: 'own',
    timeoutMs: FEED_TIMEOUT_MS,
    ok: okJson(
      'The result, also when no profile matches. A file that is not text gets 415',
      DetectAnswerSchema,
      DETECT_EXAMPLE,
    ),
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
      'Starts a feed run of kind `profile_import`. The service detects the profile again, and rejects a file that does not match the given `profile`.',
    access: {
      auth: 'seller',
      permission: 'catalogue:write',
      rate: 'feed',
      idempotency: 'optional',
      plan: 'import_profiles',
      growsCatalogue: true,
      planOption: 'async_feeds',
    },
    headers: UPLOAD_HEADERS,
    query: Type.Object({
      profile: Type.Optional(
        StringEnum(['auto', ...PROFILE_NAMES], {
          default: 'auto',
          description: 'Profile that the file must match; `auto` uses the detected profile',
        }),
      ),
      on_error: Type.Optional(withDefault('continue', OnError)),
      dry_run: DryRun,
      on_second_header: Type.Optional(
        StringEnum(SECOND_HEADER_CHOICES, {
          description:
            'How to read the records after a second header row in an auction file: `stop` (default) rejects the file, `keep` uses the first header, `remap` uses the second header',
        }),
      ),
      shop_name: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: BRAND_MAX,
          description:
            'Handmade listings only: identify products by MPN and brand, with this name as the brand and the SKU as the MPN. Without it, products are exempt as handmade',
        }),
      ),
    }),
    body,
    tx: 'own',
    timeoutMs: FEED_TIMEOUT_MS,
    ok: runAnswers('profile_import'),
    errors: uploadErrors,
    handler: startImportRun,
  }),
];
