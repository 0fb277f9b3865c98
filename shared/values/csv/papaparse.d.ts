// the published types need those of Node, which the console has not
declare module 'papaparse' {
  declare namespace papa {
    interface Step {
      /** The record, alone in a list. */
      readonly data: readonly (readonly string[])[];
      /** Quotes that are not as they should be. */
      readonly errors: readonly { readonly index: number }[];
      readonly meta: {
        /** Characters that were read. */
        readonly cursor: number;
      };
    }
    interface Options {
      readonly delimiter: string;
      readonly newline: string;
      /** Gets the records one by one. */
      readonly step: (step: Step) => void;
    }
    interface Parser {
      parse(text: string, offset: number, ignoresLastRow: boolean): Step;
    }
  }
  const papa: { readonly Parser: new (options: papa.Options) => papa.Parser };
  // biome-ignore lint/style/noDefaultExport: as the package exports it
  export default papa;
}
