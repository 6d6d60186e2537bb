import type { Acting } from '../../../kernel/context.ts';
import { endpointDisabled } from '../events.ts';
import { endpointView } from '../schemas/endpoint.ts';
import { type EndpointRow, findEndpoint } from '../store/endpoints.ts';
import { changeStatus } from './change-endpoint.ts';

/**
 * Disables an endpoint and emits the event. Its missed deliveries stay until the seller resumes it.
 *
 * @param still whether the reason is still true for the locked endpoint
 */
export async function disableEndpoint(
  ctx: Acting,
  endpointId: string,
  reason: 'failing' | 'gone',
  still: (row: EndpointRow) => boolean = () => true,
): Promise<void> {
  const row = await findEndpoint(ctx, endpointId, 'for no key update');
  if (row?.status !== 'active' || !still(row)) return;
  const disabled = endpointView(await changeStatus(ctx, row, 'disabled', { reason }));
  const previous = { status: row.status, disabled_reason: null, version: row.version };
  await ctx.emit(endpointDisabled.of(disabled, { previous }));
}
