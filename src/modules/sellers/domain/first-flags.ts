import type { Configuration } from '../../../kernel/context.ts';

/** In development there is no marketplace that could verify a seller, open the API and enable areas. */
export const isOpen = (config: Configuration): boolean => config['APP_ENV'] === 'development';

/** The areas that are enabled for a new seller. */
export const firstFlags = (config: Configuration): readonly string[] =>
  isOpen(config) ? ['audit', 'marketing', 'marketplace-intel'] : [];
