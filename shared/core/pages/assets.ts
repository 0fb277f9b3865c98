import type { PageAssets } from './bundle-assets.mjs';

/** Replaced by the texts when bundling: lib/handler-bundle.ts and bin/start.mjs. */
declare const PAGE_STYLE: string;
declare const PAGE_SCRIPT: string;

/** The texts inside each page. A process that runs these sources unbundled, for example a test, bundles them now. */
export const { style, script }: PageAssets =
  typeof PAGE_STYLE === 'string' && typeof PAGE_SCRIPT === 'string'
    ? { style: PAGE_STYLE, script: PAGE_SCRIPT }
    : (await import('./bundle-assets.mjs')).bundleAssets().assets;
