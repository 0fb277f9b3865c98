import { openPkcs12 } from '../../push/rules/pkcs12.ts';
import { runJobs } from '../job-program.ts';
import type { CertificateJob, CertificateReply } from './reader.ts';

// Program of a process that opens uploaded certificates.

runJobs<CertificateJob>(
  async ({ bytes }): Promise<CertificateReply> => ({
    opened: await openPkcs12(Buffer.from(bytes, 'base64')),
  }),
);
