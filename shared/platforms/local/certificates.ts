import type { CertificateOpener } from '../../ports/ports.ts';
import { type ProcessSource, takeProcess } from './slot.ts';

const timeoutMs = 5_000; // the most expensive file that is accepted takes less than a second

/** Opens uploaded certificates in processes that share the slots of scripts: the sender determines their cost. */
export function openCertificates(processes: ProcessSource): CertificateOpener {
  return async (bytes, tenant) => {
    const { worker, release } = await takeProcess(processes, tenant, {
      runtime: 'certificate',
      kind: 'certificate',
      timeoutMs,
      bytes: bytes.length,
    });
    try {
      const job = { bytes: Buffer.from(bytes).toString('base64') };
      const result = await worker.run(job, timeoutMs);
      return typeof result === 'string' ? undefined : result.reply.opened;
    } finally {
      release();
    }
  };
}
