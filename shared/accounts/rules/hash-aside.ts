import { scrypt } from 'node:crypto';
import type { RunPasswordJob } from './passwords.ts';

/** Computes a hash on a thread that Node.js also uses for files and the store: for one request at a time. */
export const hashAside: RunPasswordJob = async (job) => {
  if ('bcryptSalt' in job) {
    const { hash } = await import('bcryptjs'); // only for passwords that were imported
    return Buffer.from(await hash(job.password, job.bcryptSalt));
  }
  const { password, salt, keyBytes, options } = job;
  return new Promise((resolve, reject) => {
    scrypt(password, salt, keyBytes, options, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });
};
