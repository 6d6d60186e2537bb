/** Starts the import of another platform's export file, which is an ordinary feed run. */
import type { RouteResult } from '../../../../kernel/route.ts';
import type { HandlerCtx } from '../../../../platform/services.ts';
import type { FeedLimits } from '../../domain/feed-run/limits.ts';
import type { OnError } from '../../domain/feed-run/run.ts';
import type { DetectedFile, ProfileDetection } from '../../domain/profiles/detection/answer.ts';
import { checkStatedProfile, detectProfile } from '../../domain/profiles/detection/detect.ts';
import type { ProfileChoices, ProfileName, SecondHeaderChoice } from '../../domain/profiles/profile.ts';
import { feedErrors, feedFailure } from '../feed-errors.ts';
import type { Upload } from './spool-upload.ts';
import { type FeedRequest, startRun } from './start-run.ts';

type ImportRequest = FeedRequest & {
  readonly query: {
    readonly profile?: ProfileName | 'auto';
    readonly on_error?: OnError;
    readonly dry_run?: boolean;
    readonly on_second_header?: SecondHeaderChoice;
    readonly shop_name?: string;
  };
};

/** Detects the profile of an uploaded export file. */
export function inspectProfile(
  upload: Upload,
  limits: FeedLimits,
  currency: string,
  choices: ProfileChoices = {},
): Promise<ProfileDetection> {
  return detectProfile(() => upload.spool.read(), { limits, seller_currency: currency, ...choices });
}

/** @throws ApiError 415, 422 for a file that cannot be imported */
function acceptedFile(detection: ProfileDetection, stated: ProfileName | 'auto'): DetectedFile {
  const { answer, file } = detection;
  const refusal = checkStatedProfile(stated, detection);
  const [stop] = file?.stop ?? [];
  if (refusal === null && file !== null && stop === undefined) return file;
  const def = refusal?.status === 415 ? feedErrors.feed_content_type : feedErrors.feed_validation_failed;
  throw feedFailure(def, {
    code: refusal?.code ?? stop?.code ?? 'profile_not_recognised',
    detail: refusal?.message ?? stop?.message ?? 'The file does not match any import profile.',
    facts: { detection: answer },
  });
}

function choicesOf({ on_second_header, shop_name }: ImportRequest['query']): ProfileChoices {
  return {
    ...(on_second_header === undefined ? {} : { on_second_header }),
    ...(shop_name === undefined ? {} : { handmade_identity: { strategy: 'mpn_brand', shop_name } }),
  };
}

/** @throws ApiError 413, 415, 422, and those of `startRun` */
export function startImportRun(ctx: HandlerCtx, request: ImportRequest): Promise<RouteResult<never>> {
  const { profile = 'auto', on_error: onError = 'continue', dry_run: dryRun = false } = request.query;
  return startRun(ctx, request, async (upload, limits, currency) => {
    const detection = await inspectProfile(upload, limits, currency, choicesOf(request.query));
    const file = acceptedFile(detection, profile);
    return {
      kind: 'profile_import',
      mode: file.update_only ? 'update_only' : 'upsert',
      onError,
      dryRun,
      encoding: file.format.encoding,
      delimiter: file.format.delimiter,
      profile: file.profile,
      detection: { answer: detection.answer, file },
    };
  });
}
