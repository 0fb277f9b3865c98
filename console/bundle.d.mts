import type { PackedFile } from '../shared/console/packed-file.ts';

/** The bundled console, and the data that a bundler needs. */
export interface BundledConsole {
  /** By name. */
  readonly files: Readonly<Record<string, PackedFile>>;
  /** Absolute paths of the source files. */
  readonly inputs: readonly string[];
}

/**
 * Bundles the console, minified, by esbuild: `index.html`, and the style and the modules that it refers to, under names
 * with a hash of their content. Each file is compressed here, never while it is served.
 *
 * @param options `brotliQuality`: 11 makes the smallest files and takes seconds
 * @throws Error when a source file cannot be parsed
 */
export function bundleConsole(options: { readonly brotliQuality: number }): BundledConsole;
