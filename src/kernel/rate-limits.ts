/** Rate limits by class. The numbers are defaults; RATE_LIMITS overrides them, responses tell the live ones. */
export const RATE_CLASSES = ['read', 'write', 'feed', 'export', 'auth', 'public'] as const;
export type RateClassName = (typeof RATE_CLASSES)[number];

export interface RateLimit {
  /** Requests per window and seller (per address where nobody is signed in). */
  readonly quota: number;
  /** Length of the window. */
  readonly seconds: number;
}

/** Generous enough for a tool that polls every second and writes in bulk; low enough that one loop starves nobody. */
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
