import type { PageAssets } from './bundle-assets.mjs';

/** The bundlers replace these by the texts: lib/handler-bundle.ts and bin/start.mjs. */
declare const PAGE_STYLE: string;
declare const PAGE_SCRIPT: string;

/** The texts inside each page. A process that runs these sources unbundled, as tests do, bundles them now. */
export const { style, script }: PageAssets =
  typeof PAGE_STYLE === 'string' && typeof PAGE_SCRIPT === 'string'
    ? { style: PAGE_STYLE, script: PAGE_SCRIPT }
    : (await import('./bundle-assets.mjs')).bundleAssets().assets;
