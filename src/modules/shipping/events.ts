/** Events about what buyers are asked for shipping: the marketplace quotes by them. */
import { defineEvent, type EventOf } from '../../kernel/events.ts';
import { profile } from './schemas/profile.ts';
import { PROFILE_EXAMPLE } from './schemas/profile-examples.ts';

export const profileChanged = defineEvent({
  type: 'shipping_profile.changed',
  summary: 'A shipping profile was created, changed or deleted; `data.change.action` says which',
  schema: profile.schema,
  id: 'profile_id',
  example: PROFILE_EXAMPLE,
  marketplace: true,
});

/** The event of one verb. A deletion is one version more, so that no receiver takes it for a repeat. */
export const changeEvent = <T extends { readonly version: number }>(
  event: EventOf<T>,
  action: 'created' | 'updated' | 'deleted',
): EventOf<T> => ({
  ...event,
  of: (object, more) => {
    const version = (more?.version ?? object.version) + (action === 'deleted' ? 1 : 0);
    return event.of(object, { ...more, version, change: { action } });
  },
});
