/** One file of the icon set for each icon: the whole set has 1,700 modules to read. */
declare module 'lucide/dist/esm/icons/*.mjs' {
  const node: readonly (readonly [tag: string, attributes: Readonly<Record<string, string>>])[];
  // biome-ignore lint/style/noDefaultExport: the files of the set have no other
  export default node;
}

declare module '*.svg' {
  /** Address of the file. */
  const address: string;
  // biome-ignore lint/style/noDefaultExport: the bundler makes it
  export default address;
}
