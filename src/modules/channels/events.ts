/** Events about connected stores and what needs a person there. */
import type { Severity } from '../../kernel/events.ts';
import { defineEvent } from '../../kernel/events.ts';
import { FeedRunSchema, RUN_EXAMPLE } from '../products/index.ts';
import { CHANNEL_EXAMPLE, Channel, type WireChannel } from './schemas/channel.ts';
import { DATA_REQUEST_EXAMPLE, DataRequest } from './schemas/data-request.ts';
import { ISSUE_EXAMPLE, Issue } from './schemas/issue.ts';

const channel = (
  type: string,
  summary: string,
  example: Partial<WireChannel>,
  severity: Severity,
  title: string,
) =>
  defineEvent({
    ...{ type, summary, schema: Channel, id: 'channel_id' as const },
    example: { ...CHANNEL_EXAMPLE, ...example },
    notification: { severity, title },
  });

export const IMPORT_RUN_EXAMPLE = {
  ...RUN_EXAMPLE,
  kind: 'channel_import' as const,
  dry_run: true,
  source: {
    ...RUN_EXAMPLE.source,
    profile: 'store_platform_products',
    channel_id: 'chn_01j0000000000000000000000',
  },
};

export const channelEvents = {
  connected: channel(
    'channel.connected',
    'A store was connected',
    {},
    'info',
    'Store {shop.domain} is connected',
  ),
  degraded: channel(
    'channel.degraded',
    'The connection to a store no longer works; `status_reason` says why',
    { status: 'degraded', status_reason: 'token_rejected' },
    'critical',
    'The connection to {shop.domain} does not work: {status_reason}',
  ),
  recovered: channel(
    'channel.recovered',
    'The connection works again',
    {},
    'info',
    '{shop.domain} works again',
  ),
  ended: channel(
    'channel.ended',
    'A store is no longer connected; `status_reason` says why',
    { status: 'ended', status_reason: 'disconnected' },
    'info',
    'Store {shop.domain} is no longer connected',
  ),
  importPreviewed: defineEvent({
    type: 'channel.import_previewed',
    summary: 'The preview of an import has ended; commit it to apply it',
    schema: FeedRunSchema,
    id: 'run_id',
    example: IMPORT_RUN_EXAMPLE,
    notification: {
      severity: 'info',
      title: 'The import of your store is ready: {counts.created} new of {counts.rows product}',
    },
  }),
  issueOpened: defineEvent({
    type: 'integration_issue.opened',
    summary: 'Something about a connected store needs a person; at most one event an hour for a kind',
    schema: Issue,
    id: 'issue_id' as const,
    example: { ...ISSUE_EXAMPLE, count: 1 },
    notification: { severity: 'warning', title: 'A connected store needs you: {action.text}' },
  }),
  /** The operator answers requests of buyers; the service holds nothing about them. */
  dataRequest: defineEvent({
    type: 'channel.data_request',
    summary: 'A buyer of a connected store asks which data are held; the service holds none',
    schema: DataRequest,
    example: DATA_REQUEST_EXAMPLE,
    marketplace: true,
    sellers: false,
  }),
  issueResolved: defineEvent({
    type: 'integration_issue.resolved',
    summary: 'An issue about a connected store has ended',
    schema: Issue,
    id: 'issue_id' as const,
    example: { ...ISSUE_EXAMPLE, state: 'resolved' as const, resolution: 'reauthorised' },
  }),
};
