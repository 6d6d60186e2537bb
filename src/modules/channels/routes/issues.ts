import Type from 'typebox';
import { coreErrors, requireFound } from '../../../kernel/errors.ts';
import { nameFilter, withDefault } from '../../../kernel/schema.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { checkIfMatch } from '../../../platform/http/etag.ts';
import { writes } from '../../../platform/rest/access.ts';
import { resource } from '../../../platform/rest/resource.ts';
import { resolveByMember } from '../actions/resolve-issue.ts';
import { channelErrors } from '../errors.ts';
import {
  ISSUE,
  ISSUE_EXAMPLE,
  Issue,
  IssueActionSchema,
  IssueKindSchema,
  IssueState,
  issueView,
} from '../schemas/issue.ts';
import { MergedField } from '../schemas/link.ts';
import { issues } from '../store/issues.ts';
import { requireChannel } from './channels.ts';

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

const { action_not_possible, issue_closed, product_already_linked, link_gone } = channelErrors;

const Resolve = Type.Object(
  {
    action: IssueActionSchema,
    product_id: Type.Optional(Type.String({ maxLength: 100, description: 'For `link`' })),
    fields: Type.Optional(
      Type.Array(MergedField, {
        minItems: 1,
        uniqueItems: true,
        description: 'Fields of the conflict; default: all',
      }),
    ),
  },
  { title: 'IssueResolve', description: 'What is to be done.' },
);

const resolve = defineRoute({
  id: 'channels.issues.resolve',
  method: 'POST',
  path: '/issues/{issue_id}/resolve',
  summary: 'Resolve an integration issue',
  description:
    'With an action of `allowed`. After `retry` and `create_product` the service asks the store again; after `ignore` the same thing opens no issue. With `If-Match` it is refused (412) if the store has said something else since.',
  access: { ...writes('catalogue'), growsCatalogue: 'some' },
  params: Type.Object({ issue_id: Type.String({ description: 'Id of the issue, `iss_…`' }) }),
  body: { kind: 'json', schema: Resolve, example: { action: 'ignore' } },
  ok: okJson('The issue', Issue, ISSUE_EXAMPLE),
  errors: [
    coreErrors.not_found,
    coreErrors.precondition_failed,
    action_not_possible,
    issue_closed,
    product_already_linked,
    link_gone,
    channelErrors.import_running,
  ],
  handler: async (ctx, { params: { issue_id }, body, headers }) => {
    const { channel_id } = requireFound(await issues.find(ctx, { issue_id }));
    const channel = await requireChannel(ctx, channel_id);
    const issue = requireFound(await issues.find(ctx, { issue_id }, 'for update'));
    checkIfMatch(headers, `${issue_id}.${issue.version}`);
    ctx.audit({ target_type: 'issue', target_id: issue_id, changed_fields: ['state'] });
    return { body: issueView(await resolveByMember(ctx, channel, issue, body)) };
  },
});

export const issueRoutes = [
  all.list({
    description:
      'What needs a person at the connected stores, newest first. Open ones unless `state` says otherwise.',
    filters: {
      state: Type.Optional(withDefault('open', IssueState)),
      kind: Type.Optional(IssueKindSchema),
      channel_id: nameFilter('Issues of this channel'),
    },
  }),
  all.get(),
  resolve,
];
