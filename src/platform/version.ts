import manifest from '../../package.json' with { type: 'json' };

/** The release that runs. */
export const VERSION: string = manifest.version;
