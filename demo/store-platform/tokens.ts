/** The tokens of one app in one store: codes, access tokens that expire, refresh tokens that are replaced. */
import { randomBytes } from 'node:crypto';

const CODE_MS = 600_000;
const ACCESS_SECONDS = 3_600;
const REFRESH_SECONDS = 90 * 86_400;

interface Code {
  readonly scope: string;
  readonly until: number;
}
interface Pair {
  readonly access: string;
  readonly accessUntil: number;
  readonly refresh: string | undefined;
  readonly refreshUntil: number;
  readonly scope: string;
}

/** The answer of the token endpoint. */
interface TokenAnswer {
  readonly access_token: string;
  readonly scope: string;
  readonly expires_in?: number;
  readonly refresh_token?: string;
  readonly refresh_token_expires_in?: number;
}

const secret = (prefix: string): string => `${prefix}_${randomBytes(16).toString('hex')}`;

export class ShopTokens {
  /** Refreshes that made a new pair, and repeated ones that got the same pair again. */
  readonly refreshes = { made: 0, repeated: 0 };
  /** Every token that was ever issued. */
  readonly issued: string[] = [];
  private readonly now: () => number;
  private readonly codes = new Map<string, Code>();
  private current: Pair | undefined;
  /** The refresh token that made the present pair; it counts until the present pair is used. */
  private spent: string | undefined;

  constructor(now: () => number) {
    this.now = now;
  }

  /** The scopes of the installed app; undefined: it is not installed. */
  get scope(): string | undefined {
    return this.current?.scope;
  }

  save() {
    return { current: this.current };
  }

  load({ current }: ReturnType<ShopTokens['save']>): void {
    this.current = current;
  }

  /** A code for the callback: single use, 10 minutes. */
  code(scope: string): string {
    const code = randomBytes(16).toString('hex');
    this.codes.set(code, { scope, until: this.now() + CODE_MS });
    return code;
  }

  exchange(code: string, expiring: boolean): TokenAnswer | undefined {
    const granted = this.codes.get(code);
    this.codes.delete(code);
    if (granted === undefined || granted.until < this.now()) return undefined;
    this.spent = undefined;
    return this.issue(granted.scope, expiring);
  }

  refresh(token: string): TokenAnswer | undefined {
    const { current } = this;
    if (current?.refresh === undefined || current.refreshUntil < this.now()) return undefined;
    if (token === this.spent) {
      this.refreshes.repeated += 1;
      return this.answer(current);
    }
    if (token !== current.refresh) return undefined;
    this.refreshes.made += 1;
    this.spent = token;
    return this.issue(current.scope, true);
  }

  /** Whether an access token counts now. Its first use ends the refresh token before it. */
  accepts(access: string | undefined): boolean {
    const { current } = this;
    if (current === undefined || access !== current.access || current.accessUntil < this.now()) return false;
    this.spent = undefined;
    return true;
  }

  /** The app is uninstalled: no token counts any more. */
  revoke(): void {
    this.current = undefined;
    this.spent = undefined;
    this.codes.clear();
  }

  /** The app has other scopes from now on, with the same tokens. */
  regrant(scope: string): void {
    if (this.current !== undefined) this.current = { ...this.current, scope };
  }

  /** Ends the access token before its time; a refresh still works unless `refreshToo`. */
  spoil(refreshToo = false): void {
    const { current } = this;
    if (current === undefined) return;
    this.current = {
      ...current,
      access: secret('gone'),
      ...(refreshToo && { refresh: secret('gone') }),
    };
    this.spent = undefined;
  }

  private issue(scope: string, expiring: boolean): TokenAnswer {
    const now = this.now();
    const pair: Pair = {
      access: secret('shpat'),
      accessUntil: expiring ? now + ACCESS_SECONDS * 1_000 : Number.POSITIVE_INFINITY,
      refresh: expiring ? secret('shprt') : undefined,
      refreshUntil: now + REFRESH_SECONDS * 1_000,
      scope,
    };
    this.current = pair;
    this.issued.push(pair.access, ...(pair.refresh === undefined ? [] : [pair.refresh]));
    return this.answer(pair);
  }

  private answer({ access, scope, refresh, accessUntil, refreshUntil }: Pair): TokenAnswer {
    if (refresh === undefined) return { access_token: access, scope };
    const seconds = (until: number): number => Math.ceil((until - this.now()) / 1_000);
    return {
      access_token: access,
      scope,
      expires_in: seconds(accessUntil),
      refresh_token: refresh,
      refresh_token_expires_in: seconds(refreshUntil),
    };
  }
}
