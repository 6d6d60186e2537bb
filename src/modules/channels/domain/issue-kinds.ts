/** Kinds of integration issues. Source: docs/design/channels.md#issues. */
export const ISSUE_KINDS = ['reauthorise_required'] as const;
export type IssueKind = (typeof ISSUE_KINDS)[number];
