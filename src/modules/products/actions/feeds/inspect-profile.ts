import type { FeedLimits } from '../../domain/feed-run/limits.ts';
import type { ProfileDetection } from '../../domain/profiles/detection/answer.ts';
import { detectProfile } from '../../domain/profiles/detection/detect.ts';
import type { ProfileChoices } from '../../domain/profiles/profile.ts';
import type { Upload } from './receive-upload.ts';

/** What an uploaded export file is, and how it is to be read. */
export function inspectProfile(
  upload: Upload,
  limits: FeedLimits,
  currency: string,
  choices: ProfileChoices = {},
): Promise<ProfileDetection> {
  return detectProfile(() => upload.spool.read(), { limits, seller_currency: currency, ...choices });
}
