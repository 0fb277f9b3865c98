import type { OpenedPkcs12 } from '../../push/rules/pkcs12.ts';
import { type JobWorker, jobCommand, startJobWorker } from '../job-worker.ts';
import type { StartProcess } from '../process.ts';

/** An uploaded file in base64. */
export interface CertificateJob {
  readonly bytes: string;
}

/** The content of an uploaded file; absent when it cannot be read. */
export interface CertificateReply {
  readonly opened?: OpenedPkcs12 | undefined;
}

/** A process that opens uploaded certificates. */
export type CertificateWorker = JobWorker<CertificateJob, CertificateReply>;

const maxMegabytes = 64;

/** Starts a process that opens certificates. `program` is the path of the bundled program. */
export function startCertificateWorker(program: string, start: StartProcess): CertificateWorker {
  return startJobWorker(jobCommand(program, maxMegabytes), start);
}
