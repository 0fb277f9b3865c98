import { randomBytes, type ScryptOptions, timingSafeEqual } from 'node:crypto';

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

/** Arguments of one bcrypt, for the hash of a password that was imported. */
export interface BcryptJob {
  readonly password: string;
  /** Version, cost and salt: `$2a$10$` and 22 characters. */
  readonly bcryptSalt: string;
}

/** A hash that is to be computed. */
export type PasswordJob = ScryptJob | BcryptJob;

/** Computes one hash, which takes tens of milliseconds of CPU and, for scrypt, 16 MB of memory and more. */
export type RunPasswordJob = (job: PasswordJob) => Promise<Uint8Array>;

const bcryptForm = /^(\$2[aby]\$(?:0[4-9]|1[0-2])\$[./A-Za-z0-9]{22})[./A-Za-z0-9]{31}$/;

/**
 * Checks whether a hash is one of bcrypt that can be imported: of cost 4 to 12, since the hash of a higher cost takes
 * seconds. A log-in replaces it (docs/reference/transfer.md#users).
 */
export function isBcryptHash(text: string): boolean {
  return bcryptForm.test(text);
}

/**
 * Hashes a password with scrypt and a new salt. The text contains the parameters, so that the cost can be raised later:
 * `scrypt$<log2 N>$<r>$<salt>$<hash>`, both in base64.
 *
 * @param cost log2 of scrypt's N, 10 to 20; 14 takes about 40 ms
 */
export async function hashPassword(
  password: string,
  cost: number,
  run: RunPasswordJob,
): Promise<string> {
  const salt = randomBytes(saltBytes);
  const hash = await run(jobOf(password, salt, cost, blockSize));
  const texts = [salt, Buffer.from(hash)].map((bytes) => bytes.toString('base64'));
  return ['scrypt', cost, blockSize, ...texts].join('$');
}

/** Checks whether `password` is the one that was hashed with scrypt or bcrypt; a text of another form is a server error. */
export async function isPassword(
  password: string,
  text: string,
  run: RunPasswordJob,
): Promise<boolean> {
  const [, bcryptSalt] = bcryptForm.exec(text) ?? [];
  if (bcryptSalt !== undefined) {
    // not normalized: bcrypt has hashed the characters as they were sent
    return timingSafeEqual(await run({ password, bcryptSalt }), Buffer.from(text));
  }
  const [name, cost, block, salt, hash] = text.split('$');
  if (name !== 'scrypt' || salt === undefined || hash === undefined) {
    throw new Error('a stored password has an unknown form');
  }
  const job = jobOf(password, Buffer.from(salt, 'base64'), Number(cost), Number(block));
  return timingSafeEqual(await run(job), Buffer.from(hash, 'base64'));
}

function jobOf(password: string, salt: Uint8Array, cost: number, block: number): ScryptJob {
  const N = 2 ** cost;
  const options = { N, r: block, p: 1, maxmem: 256 * N * block };
  return { password: password.normalize('NFKC'), salt, keyBytes: hashBytes, options };
}
