import { openPkcs12 } from '../../push/rules/pkcs12.ts';
import { runJobs } from '../job-program.ts';
import type { Job, Reply } from './reader.ts';

// Program of a process that opens uploaded certificates.

runJobs<Job>(
  async ({ bytes }): Promise<Reply> => ({ opened: await openPkcs12(Buffer.from(bytes, 'base64')) }),
);
