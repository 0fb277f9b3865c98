import type { DataFormat } from '../shared/jobs/data-version.ts';
import { dataVersion } from '../shared/table/data-version.ts';

/** The version of the data, and the migrations from earlier ones: docs/internals/table.md#data-version. */
export const dataFormat: DataFormat = { version: dataVersion, migrations: [] };
