import Type from 'typebox';
import { withDefault } from '../../../kernel/schema.ts';
import { resource } from '../../../platform/rest/resource.ts';
import { ISSUE, ISSUE_EXAMPLE, Issue, IssueKindSchema, IssueState, issueView } from '../schemas/issue.ts';
import { issues } from '../store/issues.ts';

const all = resource({
  id: 'channels.issues',
  path: '/issues',
  ...ISSUE,
  many: 'integration issues',
  area: 'catalogue',
  table: issues,
  schema: Issue,
  example: ISSUE_EXAMPLE,
  view: issueView,
});

export const issueRoutes = [
  all.list({
    description:
      'What needs a person at the connected stores, newest first. Open ones unless `state` says otherwise.',
    filters: {
      state: Type.Optional(withDefault('open', IssueState)),
      kind: Type.Optional(IssueKindSchema),
      channel_id: Type.Optional(Type.String({ maxLength: 100, description: 'Issues of this channel' })),
    },
  }),
  all.get(),
];
