import { vi } from 'vitest';

/** The modules of the console that read and write files of objects. They are checked with the types of a browser. */
export interface ConsoleFiles {
  readLines(parts: AsyncIterable<string>): AsyncIterable<unknown>;
  readCsv(parts: AsyncIterable<string>, options: object): AsyncIterable<unknown>;
  headOf(format: 'csv' | 'jsonl', columns: readonly object[], isForSheets: boolean): string;
  objectLine(format: 'csv' | 'jsonl', object: object): string;
}

const folder = '../../console/screens/objects/transfer';

/** Loads them as on a page of a server. */
export async function openConsoleFiles(url: string): Promise<ConsoleFiles> {
  vi.stubGlobal('location', new URL(`${url}/console/`));
  vi.stubGlobal('sessionStorage', { getItem: () => null });
  vi.stubGlobal('document', {});
  vi.stubGlobal('history', { state: { entry: 0, position: 0, from: '' } });
  vi.stubGlobal('addEventListener', () => undefined);
  const [reader, formats] = await Promise.all([
    import(`${folder}/read-file.ts`),
    import(`${folder}/formats.ts`),
  ]);
  vi.unstubAllGlobals();
  return { ...reader, ...formats };
}
