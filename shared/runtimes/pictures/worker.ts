import { dirname, sep } from 'node:path';
import { type JobWorker, jobCommand, startJobWorker } from '../job-worker.ts';
import type { StartProcess } from '../process.ts';
import type { PictureType } from './picture-type.ts';

/** A picture to make smaller. */
export interface PictureJob {
  /** The file in base64. */
  readonly bytes: string;
  readonly type: PictureType;
  /** Sides in pixels; 0: free. */
  readonly width: number;
  readonly height: number;
}

/** A smaller picture in base64; absent when the file cannot be read within the limits. */
export interface PictureReply {
  readonly bytes?: string;
}

/** Maximum pixels of a picture that is made smaller. */
export const maxPixels = 40_000_000; // docs/reference/limits.md#smaller-pictures

const maxHeapMegabytes = 256; // of JSON; pixels are outside of the heap
const maxResidentBytes = 640 * 2 ** 20; // three times the pixels of the largest picture, and the library

/**
 * Starts a process that makes one picture smaller. It reads nothing but its program and the packages beside sharp, and
 * is used once: a picture that takes it over sees no other one.
 *
 * @param program path of the bundled program
 * @param sharp path of the main file of sharp
 */
export function startPictureWorker(
  program: string,
  sharp: string,
  start: StartProcess,
): JobWorker<PictureJob, PictureReply> {
  const command = jobCommand(program, maxHeapMegabytes);
  const [permission = '', ...others] = command.args;
  const marker = `${sep}node_modules${sep}`;
  const packages = dirname(sharp.slice(0, sharp.indexOf(marker) + marker.length + 1));
  const addons = process.allowedNodeEnvironmentFlags.has('--allow-addons')
    ? ['--allow-addons']
    : [];
  const args = [permission, `--allow-fs-read=${packages}`, ...addons, ...others, sharp];
  return startJobWorker({ ...command, args, maxResidentBytes }, start);
}
