/** Defined at bundling time, by bundle-assets.mjs. */
declare const LINK_PAGE_SCRIPT: string;

/** The script of the page that a link of a mail opens. Unbundled sources bundle it on import. */
export const linkPageScript: string =
  typeof LINK_PAGE_SCRIPT === 'string'
    ? LINK_PAGE_SCRIPT
    : (await import('../../core/pages/bundle-assets.mjs')).bundleAssets().linkPageScript;
