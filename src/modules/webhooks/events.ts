/** Events about endpoints. */
import Type from 'typebox';
import { defineEvent } from '../../kernel/events.ts';
import { ENDPOINT_EXAMPLE, Endpoint } from './schemas/endpoint.ts';

export const endpointDisabled = defineEvent({
  type: 'webhook_endpoint.disabled',
  summary: 'The service has disabled an endpoint that failed for five days or answered 410',
  schema: Endpoint,
  id: 'endpoint_id',
  example: {
    ...ENDPOINT_EXAMPLE,
    status: 'disabled',
    disabled_reason: 'failing',
    status_changed_at: '2026-07-03T01:00:00.000Z',
    version: 2,
  },
  notification: {
    severity: 'critical',
    title: 'Webhook endpoint {url} was disabled; resume it to get the missed events',
  },
});

export const ping = defineEvent({
  type: 'ping',
  summary: 'A test of an endpoint; never among the numbered events',
  schema: Type.Object(
    {
      endpoint_id: Type.String(),
      message: Type.String({ description: 'A sentence for people' }),
    },
    { title: 'Ping', description: 'A test of an endpoint.' },
  ),
  example: { endpoint_id: ENDPOINT_EXAMPLE.endpoint_id, message: 'The endpoint can be reached.' },
});
