import type { PageAssets } from './bundle-assets.mjs';

/** The bundlers replace these by the texts: lib/handler-bundle.ts and bin/start.mjs. */
declare const PAGE_STYLE: string;

/** The texts inside each page. A process that runs these sources unbundled, as tests do, bundles them now. */
export const { style }: PageAssets =
  typeof PAGE_STYLE === 'string'
    ? { style: PAGE_STYLE }
    : (await import('./bundle-assets.mjs')).bundleAssets().assets;
