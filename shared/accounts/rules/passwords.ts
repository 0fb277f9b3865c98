import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';

const saltBytes = 16;
const hashBytes = 32;
const blockSize = 8;

/** Arguments of one scrypt; values that can be sent to another thread. */
export interface ScryptJob {
  readonly password: string;
  readonly salt: Uint8Array;
  readonly keyBytes: number;
  readonly options: ScryptOptions;
}

/** Runs one scrypt, which takes tens of milliseconds of CPU and 16 MB of memory and more. */
export type RunScrypt = (job: ScryptJob) => Promise<Uint8Array>;

/**
 * Hashes a password with scrypt and a new salt. The text contains the parameters, so that the cost can be raised later:
 * `scrypt$<log2 N>$<r>$<salt>$<hash>`, both in base64.
 *
 * @param cost log2 of scrypt's N, 10 to 20; 14 takes about 40 ms
 */
export async function hashPassword(
  password: string,
  cost: number,
  run: RunScrypt,
): Promise<string> {
  const salt = randomBytes(saltBytes);
  const hash = await run(jobOf(password, salt, cost, blockSize));
  const texts = [salt, Buffer.from(hash)].map((bytes) => bytes.toString('base64'));
  return ['scrypt', cost, blockSize, ...texts].join('$');
}

/** Checks whether `password` is the one that was hashed; a text of another form is a server error. */
export async function isPassword(password: string, text: string, run: RunScrypt): Promise<boolean> {
  const [name, cost, block, salt, hash] = text.split('$');
  if (name !== 'scrypt' || salt === undefined || hash === undefined) {
    throw new Error('a stored password has an unknown form');
  }
  const job = jobOf(password, Buffer.from(salt, 'base64'), Number(cost), Number(block));
  return timingSafeEqual(await run(job), Buffer.from(hash, 'base64'));
}

/** Runs scrypt on a thread that Node.js also uses for files and the store: for one request at a time. */
export const scryptAside: RunScrypt = ({ password, salt, keyBytes, options }) =>
  new Promise((resolve, reject) => {
    scrypt(password, salt, keyBytes, options, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });

function jobOf(password: string, salt: Uint8Array, cost: number, block: number): ScryptJob {
  const N = 2 ** cost;
  const options = { N, r: block, p: 1, maxmem: 256 * N * block };
  return { password: password.normalize('NFKC'), salt, keyBytes: hashBytes, options };
}
