import { invalid } from '../../../kernel/errors.ts';
import { profileProblems } from '../domain/check-profile.ts';
import { readZones, type StoredContent } from '../schemas/read-profile.ts';

/** @throws ApiError 422 with all problems, each with its field */
export function checkContent(content: StoredContent, at: readonly (string | number)[] = ['body']): void {
  const problems = profileProblems({ ...content, zones: readZones(content.zones) }, at);
  if (problems.length > 0) throw invalid(problems);
}
