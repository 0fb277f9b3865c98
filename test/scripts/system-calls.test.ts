import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { pythonFlags } from '../../shared/platforms/local/scripts/commands/find-python.ts';
import { runtimeFolder } from '../../shared/platforms/local/scripts/sandbox/system-files.ts';
import { landlocked, machine, machineHosts } from './python-hosts.ts';

// Each system call of the kernel's headers is in a table; of the others, scripts reach only what is listed here.

const python = (machine ?? landlocked)?.python;
const source = readFileSync(fileURLToPath(new URL('system-calls.py', import.meta.url)), 'utf8');

interface Tables {
  readonly allowed: Readonly<Record<string, readonly [number | null, number | null]>>;
  readonly ruled: Readonly<Record<string, readonly [number | null, number | null]>>;
  readonly absent: readonly string[];
}

function readTables(): Tables {
  if (python === undefined) return { allowed: {}, ruled: {}, absent: [] };
  const code = `import json, sys; sys.path.insert(0, sys.argv[1]); import calls
print(json.dumps({'allowed': calls.ALLOWED, 'ruled': calls.RULED, 'absent': sorted(calls.ABSENT)}))`;
  const args = [...pythonFlags, '-c', code, join(runtimeFolder, 'python')];
  return JSON.parse(execFileSync(python.program, args, { encoding: 'utf8' }));
}

const tables = readTables();
const listed = [...Object.keys(tables.allowed), ...Object.keys(tables.ruled), ...tables.absent];

/** The headers of linux-libc-dev for both kinds of processors, with the positions of the numbers in the tables. */
type Header = readonly [path: string, pattern: RegExp, position: 0 | 1];
const headers: readonly [Header, Header] = [
  ['/usr/include/x86_64-linux-gnu/asm/unistd_64.h', /^#define __NR_(\w+)\s+(\d+)$/gm, 0],
  ['/usr/include/asm-generic/unistd.h', /^#define __NR(?:3264)?_(\w+)\s+(\d+)$/gm, 1],
];

/** Names in the generic header of calls that have another name on 64 bits, do not exist there, or are no calls. */
const generic32 =
  /^(arch_specific_syscall|syscalls|sync_file_range2|\w+_time64|\w+64_time64|clock_\w+64|fstatat)$/;

function readHeader([path, pattern]: Header): readonly (readonly [string, number])[] {
  const found = [...readFileSync(path, 'utf8').matchAll(pattern)];
  return found
    .map(([, name = '', number]) => [name, Number(number)] as const)
    .filter(([name]) => !generic32.test(name) && !/^(timer|timerfd)_\w+64$/.test(name));
}

const readable = headers.filter(([path]) => existsSync(path));
if (readable.length < headers.length) {
  process.stdout.write('skipped: system calls of the headers (apt-get install linux-libc-dev)\n');
}

describe.runIf(python !== undefined).each(readable)('%s', (...header) => {
  const position = header[2];

  test('each of its calls is allowed or refused on purpose', () => {
    const missing = readHeader(header).filter(([name]) => !listed.includes(name));

    expect(missing).toEqual([]);
  });

  test('the numbers of the tables are its numbers', () => {
    const numbers = { ...tables.allowed, ...tables.ruled };
    const wrong = readHeader(header).filter(
      ([name, number]) => name in numbers && numbers[name]?.[position] !== number,
    );

    expect(wrong).toEqual([]);
  });
});

test('no call is in two tables', () => {
  expect(new Set(listed).size).toBe(listed.length);
});

/** Names and numbers of this machine's header that a script may try. */
function numbersOf(names: readonly string[]): readonly (readonly [string, number])[] {
  const header = headers[process.arch === 'x64' ? 0 : 1];
  return existsSync(header[0]) ? readHeader(header).filter(([name]) => names.includes(name)) : [];
}

const fcntlCommands = [0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030, 1032];
const ioctlCommands = [
  0x5401, 0x5402, 0x5403, 0x5404, 0x5409, 0x540a, 0x540b, 0x540e, 0x540f, 0x5410, 0x5411, 0x5413,
  0x5414, 0x541b, 0x5421, 0x5422, 0x5425, 0x5429, 0x5441, 0x5450, 0x5451, 0x8905, 0x8910, 0x8912,
  0x8913, 0x8915, 0x891b, 0x8921, 0x8933, 0x40045431, 0x80045430, 0x40049409, 0x4020940d,
  0x802c542a, 0x402c542b, 0x402c542c, 0x402c542d,
];
const prctlOptions = [2, 3, 7, 15, 16, 21, 23, 29, 30, 37, 38, 39, 41, 42, 51, 56, 61, 64];
const transportProtocols = [0, 1, 6, 17, 58];

/** True for kinds that the filter lets through: stream, datagram and raw sockets. */
const isUsual = ([kind = 0, protocol = 0]: readonly number[]) =>
  kind <= 3 && transportProtocols.includes(protocol);

describe.each([...machineHosts])('a script in %s', (name, open) => {
  const isAlone = name === 'Landlock';
  let found: Readonly<Record<string, readonly unknown[]>>;
  beforeAll(async () => {
    const host = open();
    const refused = numbersOf(Object.keys(tables.ruled));
    const args = { absent: numbersOf(tables.absent), refused };
    const { stdout, stderr } = await host.run({ source, args });
    await host.close();
    expect(stderr).toBe('');
    found = JSON.parse(stdout);
  });

  test.each([
    ['commands of fcntl', 'fcntl', fcntlCommands],
    ['commands of ioctl', 'ioctl', ioctlCommands],
    ['commands of prctl', 'prctl', isAlone ? prctlOptions : [1, ...prctlOptions]],
    ['families of sockets', 'families', [2, 10, 16]],
    ['protocols of netlink', 'netlink', [0]],
    ['families of pairs', 'pairs', isAlone ? [] : [1]],
    ['calls that are absent', 'absent', []],
    ['calls that are refused', 'refused', []],
  ])('reaches no other %s', (_name, key, expected) => {
    expect(found[key]?.toSorted()).toEqual(expected.toSorted());
  });

  test('reaches no other protocols of the internet', () => {
    const other = (found.internet as readonly (readonly number[])[]).filter(
      (each) => !isUsual(each),
    );

    expect(other).toEqual([]);
  });

  test('reaches no options of sockets except a few of four levels', () => {
    const options = found.options as readonly (readonly [number, number])[];

    expect([...new Set(options.map(([level]) => level))]).toEqual([0, 1, 6, 41]);
    expect(options).toHaveLength(91);
    expect(options).not.toContainEqual([6, 31]); // TCP_ULP loads modules
    expect(options).not.toContainEqual([1, 26]); // SO_ATTACH_FILTER
  });
});
