import type { Services } from '../../../jobs/change-feed.ts';
import { type DataFormat, migrateData } from '../../../jobs/data-version.ts';

/** Until then a deployment has replaced all functions of the release before, which write items of its version. */
const deploymentMs = 3_600_000;

/**
 * Opens the start of migrations, once in a process.
 *
 * @returns rejects with NewerData when the data are of a newer version
 */
export function openMigration(services: Services, format: DataFormat): () => Promise<void> {
  let started: Promise<void> | undefined;
  return () => {
    const due = services.clock.micros() / 1000 + deploymentMs;
    started ??= migrateData(services, format, due).catch((error: unknown) => {
      started = undefined;
      throw error;
    });
    return started;
  };
}
