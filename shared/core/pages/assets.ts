import type { PageAssets } from './bundle-assets.mjs';

/** Defined at bundling time, by lib/handler-bundle.ts and bin/start.mjs. */
declare const PAGE_STYLE: string;
declare const PAGE_SCRIPT: string;

/** The style and script in each page. Unbundled sources, for example in tests, bundle them on import. */
export const { style, script }: PageAssets =
  typeof PAGE_STYLE === 'string' && typeof PAGE_SCRIPT === 'string'
    ? { style: PAGE_STYLE, script: PAGE_SCRIPT }
    : (await import('./bundle-assets.mjs')).bundleAssets().assets;
