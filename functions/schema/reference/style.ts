/** Defined at bundling time, by bin/bundle.mjs. */
declare const REFERENCE_STYLE: string;

/** The style of the page with all operations. Unbundled sources bundle it on import. */
export const referenceStyle: string =
  typeof REFERENCE_STYLE === 'string'
    ? REFERENCE_STYLE
    : (await import('../../../shared/core/pages/bundle-assets.mjs')).bundleAssets().referenceStyle;
