/** Rate limits by class. These are the defaults: RATE_LIMITS overrides them, and response headers show the actual ones. */
export const RATE_CLASSES = ['read', 'write', 'feed', 'export', 'auth', 'public'] as const;
export type RateClassName = (typeof RATE_CLASSES)[number];

export interface RateLimit {
  /** Requests per window and seller; per address on routes without a service token. */
  readonly quota: number;
  /** Length of the window. */
  readonly seconds: number;
}

/** Enough for a tool that polls every second and writes in bulk; too few for a runaway loop to starve others. */
export const DEFAULT_RATE_LIMITS: Readonly<Record<RateClassName, RateLimit>> = {
  read: { quota: 1_200, seconds: 60 },
  write: { quota: 600, seconds: 60 },
  feed: { quota: 120, seconds: 60 },
  export: { quota: 30, seconds: 60 },
  auth: { quota: 600, seconds: 60 },
  public: { quota: 600, seconds: 60 },
};

export interface RateLimits {
  readonly enabled: boolean;
  readonly overrides: Readonly<Partial<Record<RateClassName, RateLimit>>>;
}

export function rateLimitOf(limits: RateLimits, name: RateClassName): RateLimit {
  return limits.overrides[name] ?? DEFAULT_RATE_LIMITS[name];
}
