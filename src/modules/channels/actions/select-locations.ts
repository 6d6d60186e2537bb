/** Which locations of a store count. Source: docs/design/channels.md#stock. */
import type { Acting } from '../../../kernel/context.ts';
import { invalid } from '../../../kernel/errors.ts';
import { changeRule } from '../domain/counting.ts';
import { type ChannelRow, type LocationRow, locationsOf } from '../store/channels.ts';
import { findIssue } from '../store/issues.ts';
import { catchUpSoon } from './apply-levels.ts';
import { openIssue, resolveIssue } from './issues.ts';

const issueOf = (channel_id: string) =>
  ({ channel_id, kind: 'locations_unselected', external_key: 'locations' }) as const;

/** The issue that waits until somebody selects locations; undefined if some are selected. */
export const unselectedIssue = async (ctx: Acting, channel_id: string): Promise<string | undefined> => {
  const issue = await findIssue(ctx, issueOf(channel_id));
  return issue?.state === 'open' ? issue.issue_id : undefined;
};

/**
 * The only location that a store uses is selected by itself; of several the seller selects, and an issue says so.
 *
 * @param selected ids that the seller has selected
 * @returns the selected ids
 */
export async function settleSelection(
  ctx: Acting,
  { channel_id }: ChannelRow,
  locations: readonly LocationRow[],
  selected: readonly string[],
): Promise<readonly string[]> {
  const active = locations.filter((one) => one.active).map(({ location_id }) => location_id);
  const key = issueOf(channel_id);
  const counts = active.some((id) => selected.includes(id));
  if (!counts && active.length > 1) {
    if ((await unselectedIssue(ctx, channel_id)) === undefined) await openIssue(ctx, key, {});
    return selected;
  }
  await resolveIssue(ctx, key, 'selected');
  return counts || active.length === 0 ? selected : active;
}

/** @throws ApiError 422 `location_unknown` */
function requireKnown(locations: readonly LocationRow[], asked: readonly string[]): string[] {
  const problems = asked.flatMap((id, index) =>
    locations.some(({ location_id }) => location_id === id)
      ? []
      : [
          {
            loc: ['body', 'locations', index],
            msg: 'The store has no such location; send ids of `locations` of the channel.',
            type: 'location_unknown',
            input: id,
          },
        ],
  );
  if (problems.length > 0) throw invalid(problems);
  return [...new Set(asked)].sort();
}

/**
 * The seller selects locations or another mode: counting begins anew.
 *
 * @returns the columns to change
 * @throws ApiError 422 `location_unknown`
 */
export async function changeCounting(
  ctx: Acting,
  row: ChannelRow,
  asked: readonly string[] | undefined,
  mode: ChannelRow['stock_mode'] | undefined,
): Promise<Partial<ChannelRow>> {
  const { channel_id, selected_locations: before, stock_mode } = row;
  if (asked === undefined && (mode ?? stock_mode) === stock_mode) return {};
  const locations = await locationsOf(ctx, channel_id);
  const given = asked === undefined ? before : requireKnown(locations, asked);
  const selected_locations = await settleSelection(ctx, row, locations, given);
  const how = { selected: selected_locations, locations, mode: mode ?? stock_mode, moves: false };
  const counting = changeRule(row.counting, how);
  if (counting !== row.counting) await catchUpSoon(ctx, channel_id);
  return { selected_locations, counting };
}
