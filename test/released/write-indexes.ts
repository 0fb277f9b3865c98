import { writeFileSync } from 'node:fs';
import { tableIndexes } from '../../shared/platforms/aws/store/table.ts';

/** Writes the indexes of this code as those of the last release. */
writeFileSync(
  new URL('indexes.json', import.meta.url),
  `${JSON.stringify(tableIndexes, undefined, 2)}\n`,
);
