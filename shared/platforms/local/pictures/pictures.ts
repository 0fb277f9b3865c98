import { createRequire } from 'node:module';
import { openRequestQueue } from '../../../ports/limits/request-queue.ts';
import type { PictureType } from '../../../runtimes/pictures/picture-type.ts';
import { startPictureWorker } from '../../../runtimes/pictures/worker.ts';
import { codeOf } from '../../../values/caught.ts';
import { picturesMissing, pictureUnfit, serverBusy } from '../../../values/errors/errors.ts';
import { childProgram } from '../scripts/commands/child-program.ts';
import type { OpenProcesses } from '../scripts/processes.ts';

const limits = {
  capacity: 2, // in the server
  perOwner: 1, // of an instance
  queue: 64,
  queuePerOwner: 8,
  queuePerInstance: 8,
};
const waitMs = 10_000; // docs/reference/limits.md#smaller-pictures
const timeoutMs = 5_000; // docs/reference/limits.md#smaller-pictures
const retrySeconds = 2;

/** A picture to make smaller. */
export interface LargePicture {
  readonly bytes: Uint8Array;
  readonly type: PictureType;
  /** Sides in pixels; 0: free. */
  readonly width: number;
  readonly height: number;
}

/** Makes pictures smaller. */
export interface Pictures {
  /**
   * Waits until an instance may have a picture made, then runs `use`.
   *
   * @throws ApiError 503 without the package that makes pictures, or when too many wait
   */
  inTurn<Result>(instance: number, use: () => Promise<Result>): Promise<Result>;
  /** @throws ApiError 415 for a picture that cannot be read within the limits */
  make(picture: LargePicture): Promise<Uint8Array>;
}

const { resolve: resolveOwn } = createRequire(import.meta.url);

/**
 * Opens the processes that make pictures smaller: one for each picture, which sees no other.
 *
 * @param resolve for tests: finds another package
 */
export function openPictures(
  processes: { open(): Promise<Pick<OpenProcesses, 'start'>> },
  resolve: (name: string) => string = resolveOwn,
): Pictures {
  const queue = openRequestQueue(limits);
  return {
    inTurn: async (instance, use) => {
      findSharp(resolve);
      const share = { owner: String(instance), instance: String(instance) };
      const entry = await queue.enter({ ...share, waitMs });
      if (typeof entry === 'string') throw serverBusy(retrySeconds, 'pictures are being made');
      try {
        return await use();
      } finally {
        entry();
      }
    },
    make: async ({ bytes, type, width, height }) => {
      const [program, { start }] = await Promise.all([childProgram('pictures'), processes.open()]);
      const worker = startPictureWorker(program, findSharp(resolve), start);
      try {
        await worker.ready;
        const job = { bytes: Buffer.from(bytes).toString('base64'), type, width, height };
        const result = await worker.run(job, timeoutMs);
        const made = typeof result === 'string' ? undefined : result.reply.bytes;
        if (made === undefined) throw pictureUnfit();
        return Buffer.from(made, 'base64');
      } finally {
        worker.kill();
      }
    },
  };
}

/** Returns the path of sharp, which operators install. */
function findSharp(resolve: (name: string) => string): string {
  try {
    return resolve('sharp');
  } catch (error) {
    if (codeOf(error) === 'MODULE_NOT_FOUND') throw picturesMissing();
    throw error;
  }
}
