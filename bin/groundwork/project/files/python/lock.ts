/** A wheel that a project uses: its exact version, and the hash of its file. */
export interface LockedPackage {
  readonly name: string;
  readonly version: string;
  /** SHA-256 in hexadecimal digits. */
  readonly hash: string;
}

/** The content of a `requirements.lock`. */
export interface Lock {
  /** Hash of the requirements that it was made from. */
  readonly requirements: string;
  readonly packages: readonly LockedPackage[];
}

/** Maximum of packages of a `requirements.txt`, with those that they need. */
export const maxPackages = 100;

const first = /^# Made by groundwork from requirements\.txt ([0-9a-f]{64})$/;
const line =
  /^([A-Za-z0-9][A-Za-z0-9._-]*)==([A-Za-z0-9][A-Za-z0-9.!+_-]*) --hash=sha256:([0-9a-f]{64})$/;

/** Writes a lock file, which pip reads too. */
export function formatLock({ requirements, packages }: Lock): string {
  const sorted = packages.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const lines = sorted.map(
    ({ name, version, hash }) => `${name}==${version} --hash=sha256:${hash}`,
  );
  return [`# Made by groundwork from requirements.txt ${requirements}`, ...lines, ''].join('\n');
}

/**
 * Parses a lock file.
 *
 * @throws Error with the first line that is wrong
 */
export function parseLock(text: string, file: string): Lock {
  const [head = '', ...lines] = text.split(/\r?\n/);
  const requirements = first.exec(head)?.[1];
  if (requirements === undefined) throw wrongLine(file, 1);
  const packages = lines.flatMap((each, at): LockedPackage[] => {
    if (each === '') return [];
    const [, name, version, hash] = line.exec(each) ?? [];
    if (name === undefined || version === undefined || hash === undefined) {
      throw wrongLine(file, at + 2);
    }
    return [{ name, version, hash }];
  });
  if (packages.length > maxPackages) throw tooMany(file);
  return { requirements, packages };
}

/** Returns the error for requirements that need too many packages. */
export function tooMany(file: string): Error {
  return new Error(`${file} needs more than ${maxPackages} packages`);
}

function wrongLine(file: string, at: number): Error {
  return new Error(
    `${file}, line ${at} is not what groundwork writes: delete the file, and the next push makes it again`,
  );
}
