import { fileURLToPath } from 'node:url';

/** The folder of the runtimes in the project. */
export const runtimeFolder = fileURLToPath(new URL('../../../../runtimes', import.meta.url));

/** Programs and libraries, instead of all of /usr, which may contain other files. */
const programs = [
  ...['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libexec', 'share'].map((name) => `/usr/${name}`),
  '/usr/local/bin',
  '/usr/local/lib',
  '/usr/local/lib64',
  '/lib',
  '/lib32',
  '/lib64',
  '/bin',
  '/sbin',
];
/** Files for DNS lookups and certificate checks, listed one by one because their folders also contain private keys. */
const networkFiles = [
  '/etc/resolv.conf',
  '/etc/hosts',
  '/etc/nsswitch.conf',
  '/etc/gai.conf',
  '/etc/ssl/certs',
  '/etc/ssl/openssl.cnf',
  '/etc/ca-certificates',
  '/etc/pki/tls/certs',
  '/etc/pki/tls/openssl.cnf',
  '/etc/pki/ca-trust/extracted',
];

/** Returns the system's files and folders that scripts may read; some of them may be absent. */
export function systemFolders(hasNetwork: boolean): readonly string[] {
  return hasNetwork ? [...programs, ...networkFiles] : programs;
}
