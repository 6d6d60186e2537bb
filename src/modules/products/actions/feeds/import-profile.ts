/** Imports an export file of another platform as an ordinary feed run. */

import { feedLimits } from '../../domain/feed-run/limits.ts';
import type { FeedMode, OnError } from '../../domain/feed-run/run.ts';
import type { DetectedFile, ProfileDetection } from '../../domain/profiles/detection/answer.ts';
import { checkStatedProfile } from '../../domain/profiles/detection/detect.ts';
import type { ProfileChoices, ProfileName, SecondHeaderChoice } from '../../domain/profiles/profile.ts';
import { feedErrors, feedFailure } from '../../feed-errors.ts';
import type { FeedAnswer } from './answer-run.ts';
import { inspectProfile } from './inspect-profile.ts';
import { type FeedCtx, type FeedOrder, receiveFeed, wantsAsync } from './receive-feed.ts';
import { receiveUpload, type UploadRequest } from './receive-upload.ts';

export type ImportRequest = UploadRequest & {
  readonly claim: FeedOrder['claim'];
  readonly query: {
    readonly profile?: ProfileName | 'auto';
    readonly on_error?: OnError;
    readonly dry_run?: boolean;
    readonly on_second_header?: SecondHeaderChoice;
    readonly shop_name?: string;
  };
};

/** The file that may be imported; everything else is said in the words of the feed family. */
function acceptedFile(detection: ProfileDetection, stated: ProfileName | 'auto'): DetectedFile {
  const { answer, file } = detection;
  const refusal = checkStatedProfile(stated, detection);
  if (refusal !== null) {
    const def = refusal.status === 415 ? feedErrors.feed_content_type : feedErrors.feed_validation_failed;
    throw feedFailure(def, { code: refusal.code, detail: refusal.message, facts: { detection: answer } });
  }
  const [stop] = file?.stop ?? [];
  if (file === null || stop !== undefined) {
    const detail = stop?.message ?? 'The file matches no profile.';
    throw feedFailure(feedErrors.feed_validation_failed, {
      code: stop?.code ?? 'profile_not_recognised',
      detail,
      facts: { detection: answer },
    });
  }
  return file;
}

/** What the caller decides where a file leaves it open. */
function choicesOf({ on_second_header, shop_name }: ImportRequest['query']): ProfileChoices {
  return {
    ...(on_second_header === undefined ? {} : { on_second_header }),
    ...(shop_name === undefined ? {} : { handmade_identity: { strategy: 'mpn_brand', shop_name } }),
  };
}

/**
 * Receives, detects again, compares with what the caller stated, and runs.
 *
 * @throws ApiError 413, 415, 422 of the feed family, and what `receiveFeed` throws
 */
export async function importProfile(ctx: FeedCtx, request: ImportRequest): Promise<FeedAnswer> {
  const { plan, currency } = await ctx.standing();
  const limits = feedLimits(ctx.services.config, plan);
  const async = wantsAsync(request.headers, plan);
  const upload = await receiveUpload(request, limits, ctx.services.config.MAX_SPOOL_BYTES);
  try {
    const detection = await inspectProfile(upload, limits, currency, choicesOf(request.query));
    const { profile = 'auto', on_error: onError = 'continue', dry_run: dryRun = false } = request.query;
    const file = acceptedFile(detection, profile);
    const mode: FeedMode = file.update_only ? 'update_only' : 'upsert';
    return await receiveFeed(ctx, {
      kind: 'profile_import',
      mode,
      onError,
      dryRun,
      upload,
      limits,
      async,
      encoding: file.format.encoding,
      delimiter: file.format.delimiter,
      profile: file.profile,
      detection: { answer: detection.answer, file },
      claim: request.claim,
    });
  } finally {
    await upload.spool[Symbol.asyncDispose]();
  }
}
