import { trackedExample } from '../../../kernel/tracked.ts';
import type { ProfileInputWire } from './profile.ts';

export const PROFILE_INPUT_EXAMPLE = {
  name: 'Standard',
  is_default: true,
  handling_days: 1,
  cut_off: '14:00',
  timezone: 'Australia/Sydney',
  working_days: ['mon', 'tue', 'wed', 'thu', 'fri'],
  zones: [
    {
      name: 'Sydney',
      postcodes: [{ from: '2000', to: '2249' }],
      services: [
        {
          carrier: 'own',
          service: 'express',
          transit_days_min: 1,
          transit_days_max: 1,
          price: { kind: 'flat', price_minor: 995, free_over_minor: 10_000 },
        },
      ],
    },
    {
      name: 'Rest of Australia',
      services: [
        {
          carrier: 'australia_post',
          service: 'parcel_post',
          transit_days_min: 2,
          transit_days_max: 6,
          price: {
            kind: 'weight_tiers',
            tiers: [
              { up_to_g: 500, price_minor: 895 },
              { up_to_g: 5_000, price_minor: 1_495 },
            ],
          },
        },
      ],
    },
  ],
} satisfies ProfileInputWire;

export const PROFILE_EXAMPLE = trackedExample('profile_id', 'spf_', {
  ...PROFILE_INPUT_EXAMPLE,
  currency: 'AUD',
  currency_exponent: 2,
});
