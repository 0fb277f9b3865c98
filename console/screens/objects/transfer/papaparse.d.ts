// the published types need those of Node, which the console has not
declare module 'papaparse' {
  interface Options {
    /** Rows that are read at most. */
    readonly preview?: number;
    readonly skipEmptyLines?: boolean;
  }
  const papa: { parse(text: string, options: Options): { readonly data: readonly string[][] } };
  // biome-ignore lint/style/noDefaultExport: as the package exports it
  export default papa;
}
