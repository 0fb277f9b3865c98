import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';

const saltBytes = 16;
const hashBytes = 32;
const blockSize = 8;

/**
 * Hashes a password with scrypt and a salt of its own. The text records the parameters, so that the cost can be
 * raised later: `scrypt$<log2 N>$<r>$<salt>$<hash>`, both in base64.
 *
 * @param cost log2 of scrypt's N, 10 to 20; 14 takes about 40 ms
 */
export async function hashPassword(password: string, cost: number): Promise<string> {
  const salt = randomBytes(saltBytes);
  const hash = await derive(password, salt, cost, blockSize);
  return ['scrypt', cost, blockSize, salt.toString('base64'), hash.toString('base64')].join('$');
}

/** Tells whether `password` is the one that was hashed; a text of another form is a fault. */
export async function isPassword(password: string, text: string): Promise<boolean> {
  const [name, cost, block, salt, hash] = text.split('$');
  if (name !== 'scrypt' || salt === undefined || hash === undefined) {
    throw new Error('a stored password has an unknown form');
  }
  const actual = await derive(password, Buffer.from(salt, 'base64'), Number(cost), Number(block));
  return timingSafeEqual(actual, Buffer.from(hash, 'base64'));
}

function derive(password: string, salt: Buffer, cost: number, block: number): Promise<Buffer> {
  const N = 2 ** cost;
  const options: ScryptOptions = { N, r: block, p: 1, maxmem: 256 * N * block };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, hashBytes, options, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });
}
