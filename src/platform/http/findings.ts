import { ApiError, type FieldProblem, invalid, VALIDATION_ERROR } from '../../kernel/errors.ts';

/** Collects the validation failures of a request, so that one answer has those of query, body and headers. */
export class Findings {
  private readonly problems: FieldProblem[] = [];

  /** Runs a check and keeps its validation failures. @throws any other error of the check */
  of<T>(check: () => T): T | undefined {
    try {
      return check();
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== VALIDATION_ERROR) throw error;
      this.problems.push(...(error.body['detail'] as readonly FieldProblem[]));
      return undefined;
    }
  }

  /** @throws ApiError 422 if a check has failed */
  refuse(): void {
    if (this.problems.length > 0) throw invalid(this.problems);
  }
}
