/**
 * Rate limits by class. The setting RATE_LIMITS overrides these defaults. Response headers show the limits in force.
 */
export const RATE_CLASSES = ['read', 'write', 'feed', 'export', 'auth', 'public', 'media'] as const;
export type RateClassName = (typeof RATE_CLASSES)[number];

export interface RateLimit {
  /**
   * Requests in a window: of a seller, or of an IP address on routes without a service token. `auth` counts refused
   * requests only.
   */
  readonly quota: number;
  /** Length of the window. */
  readonly seconds: number;
}

/** Enough for a tool that polls every second and writes in bulk, but too little for an endless loop to delay others. */
export const DEFAULT_RATE_LIMITS: Readonly<Record<RateClassName, RateLimit>> = {
  read: { quota: 1_200, seconds: 60 },
  write: { quota: 600, seconds: 60 },
  feed: { quota: 120, seconds: 60 },
  export: { quota: 30, seconds: 60 },
  auth: { quota: 60, seconds: 60 },
  public: { quota: 600, seconds: 60 },
  // Many buyers may come from one address, and one page of products has many images.
  media: { quota: 6_000, seconds: 60 },
};

export interface RateLimits {
  readonly enabled: boolean;
  readonly overrides: Readonly<Partial<Record<RateClassName, RateLimit>>>;
}

export function rateLimitOf(limits: RateLimits, name: RateClassName): RateLimit {
  return limits.overrides[name] ?? DEFAULT_RATE_LIMITS[name];
}
