// the published types need those of Node, which the console has not
declare module 'papaparse' {
  declare namespace papa {
    interface Options {
      /** Rows that are read at most. */
      readonly preview?: number;
    }
    interface Format {
      readonly delimiter: string;
      readonly newline: string;
    }
    interface Parsed {
      readonly data: readonly string[][];
      readonly meta: {
        readonly delimiter: string;
        readonly linebreak: string;
        /** Characters that were read. */
        readonly cursor: number;
      };
    }
    interface Parser {
      parse(text: string, offset: number, ignoresLastRow: boolean): Parsed;
    }
  }
  const papa: {
    parse(text: string, options: papa.Options): papa.Parsed;
    readonly Parser: new (format: papa.Format) => papa.Parser;
  };
  // biome-ignore lint/style/noDefaultExport: as the package exports it
  export default papa;
}
