/** An attempt to escape. */
export interface Escape {
  readonly name: string;
  /** Body of a function that returns true only if the attempt succeeds. */
  readonly code: string;
  /** True when some systems prevent the attempt without a sandbox too, except for root. */
  readonly needsTracing?: true;
  /** True when only root succeeds without a sandbox. */
  readonly needsRoot?: true;
}

const connectTo = (target: string) =>
  `const s = require('net').connect(${target}); return new Promise((resolve, reject) => { s.on('connect', () => { s.destroy(); resolve(true); }); s.on('error', reject); });`;

/** Succeeds if it can write what a file contains. */
const writeBack = (path: string) =>
  `const fs = require('fs'); const file = fs.openSync('${path}', 'r+'); const value = fs.readFileSync(file); return fs.writeSync(file, value, 0, value.length, 0) > 0`;

/** Succeeds if existing files can be distinguished from missing ones. */
const lookBy = (code: string) =>
  `const look = async (path) => { try { ${code}; return 'there' } catch (error) { return error.code } }; return await look(ARGS.file) !== await look(ARGS.absentFile)`;

const sightings: readonly (readonly [string, string])[] = [
  ['fs.statSync', "require('fs').statSync(path)"],
  ['fs.realpathSync', "require('fs').realpathSync(path)"],
  ['fs.realpathSync.native', "require('fs').realpathSync.native(path)"],
  ['fs.promises.realpath', "await require('fs').promises.realpath(path)"],
  ['fs.existsSync', "if (!require('fs').existsSync(path)) throw { code: 'absent' }"],
  ['require', 'require(path)'],
  ['require.resolve', 'require.resolve(path)'],
  ['module.createRequire', "require('module').createRequire(path).resolve(path)"],
  ['Module._stat', "if (require('module')._stat(path) < 0) throw { code: 'absent' }"],
  ['Module._findPath', "if (!require('module')._findPath(path, ['/'])) throw { code: 'absent' }"],
];

/** Returns a script that makes the attempts in order, and prints the outcome of each. */
export function toScript(attempts: readonly Escape[]): string {
  const functions = attempts.map(
    ({ name, code }) => `[${JSON.stringify(name)}, async () => { ${code} }],`,
  );
  return `(async () => {
    const attempts = [${functions.join('\n')}];
    for (const [name, attempt] of attempts) {
      const outcome = await attempt().then((escaped) => (escaped ? 'ESCAPED' : 'held'), (e) => 'held ' + (e.code ?? e.message));
      console.log(name + ': ' + outcome);
    }
  })();`;
}

/** Attempts that must fail. */
export const escapes: readonly Escape[] = [
  {
    name: 'reads /etc/passwd',
    code: "return require('fs').readFileSync('/etc/passwd', 'utf8').includes('root')",
  },
  {
    name: 'reads /etc/passwd with a path in bytes',
    code: "return require('fs').readFileSync(Buffer.from('/tmp/../etc/passwd')).length > 0",
  },
  {
    name: 'reads /etc/passwd with a stream',
    code: "for await (const part of require('fs').createReadStream('/etc/passwd')) return part.length > 0",
  },
  {
    name: 'reads /etc/passwd through import()',
    code: "const fs = await import('node:fs/promises'); return (await fs.readFile('/etc/passwd')).length > 0",
  },
  {
    name: 'reads /etc/passwd through a link of its own',
    code: "const fs = require('fs'); const link = require('os').tmpdir() + '/link-' + process.pid; fs.symlinkSync('/etc/passwd', link); try { return fs.readFileSync(link).length > 0 } finally { fs.unlinkSync(link) }",
  },
  {
    name: "reads a file of the host's",
    code: "return require('fs').readFileSync(ARGS.file).length > 0",
  },
  {
    name: "reads a server's data",
    code: "return require('fs').readFileSync(ARGS.dataFile).length > 0",
  },
  ...sightings.map(([name, code]) => ({
    name: `sees which files there are by ${name}`,
    code: lookBy(code),
  })),
  {
    name: 'lists the root folder',
    code: "return require('fs').readdirSync('/').length > 0",
  },
  {
    name: 'writes a file outside its folder',
    code: "const fs = require('fs'); fs.writeFileSync(ARGS.absentFile, 'x'); fs.unlinkSync(ARGS.absentFile); return true",
  },
  {
    name: 'reads its own /proc',
    code: "return require('fs').readFileSync('/proc/self/environ').length > 0",
  },
  {
    name: 'reads the environment of the process that started it',
    code: "return require('fs').readFileSync('/proc/' + ARGS.pid + '/environ').length > 0",
  },
  {
    name: 'detects the process that started it',
    code: 'return process.ppid > 2',
  },
  {
    name: 'lists processes',
    code: "return require('fs').readdirSync('/proc').includes('1')",
  },
  {
    name: "finds the host's secret in its environment",
    code: "return JSON.stringify(process.env).includes('a secret of the host')",
  },
  {
    name: 'finds the environment in a report',
    code: "return JSON.stringify(process.report.getReport()).includes('a secret of the host')",
  },
  ...['kernel/core_pattern', 'fs/lease-break-time', 'kernel/hostname'].map((name) => ({
    name: `writes ${name} of the kernel`,
    needsRoot: true as const,
    code: writeBack(`/proc/sys/${name}`),
  })),
  {
    name: 'sets its priority when memory runs out',
    code: writeBack('/proc/self/oom_score_adj'),
  },
  {
    name: 'starts a program',
    code: "return require('child_process').execFileSync('true') !== undefined",
  },
  {
    name: 'starts a shell',
    code: "return require('child_process').execSync('echo x').length > 0",
  },
  {
    name: 'forks repeatedly',
    code: "let n = 0; for (let i = 0; i < 3; i++) { const c = require('child_process').spawn('true'); c.on('error', () => {}); if (c.pid) n++; } return n > 0",
  },
  {
    name: 'forks Node',
    code: "const c = require('child_process').fork('/dev/null', { stdio: 'ignore' }); c.kill(); return c.pid > 0",
  },
  {
    name: 'starts a worker',
    code: "const w = new (require('worker_threads').Worker)('0', { eval: true }); await w.terminate(); return true",
  },
  {
    name: 'starts a cluster',
    code: "const c = require('cluster'); c.setupPrimary({ exec: '/dev/null', silent: true }); const w = c.fork(); w.on('error', () => {}); w.process.kill(); return w.process.pid > 0",
  },
  { name: 'signals its parent', code: 'return process.kill(ARGS.pid, 0)' },
  {
    name: 'signals its parent with the internal function',
    code: 'return process._kill(ARGS.pid, 0) === 0',
  },
  {
    name: 'enables the debugger of another process',
    code: "return typeof process._debugProcess === 'function' && (process._debugProcess(process.pid), true)",
  },
  {
    name: "changes its parent's priority",
    code: "const os = require('os'); os.setPriority(ARGS.pid, os.getPriority(ARGS.pid)); return true",
  },
  { name: 'loads an addon', code: 'return Object.keys(require(ARGS.addon)).length > 0' },
  {
    name: 'loads an addon with dlopen',
    code: 'const m = { exports: {} }; process.dlopen(m, ARGS.addon); return Object.keys(m.exports).length > 0',
  },
  {
    name: 'accesses bindings',
    code: "return typeof process.binding('spawn_sync').spawn === 'function'",
  },
  {
    name: 'opens the inspector',
    code: "const s = new (require('inspector').Session)(); s.connect(); s.disconnect(); return true",
  },
  {
    name: 'writes a heap snapshot, which contains the mark',
    code: "const s = require('v8').getHeapSnapshot(); s.destroy(); return true",
  },
  {
    name: 'sets flags of V8',
    code: "require('v8').setFlagsFromString('--stack-size=900'); return true",
  },
  {
    name: 'accesses files with WASI',
    code: "const { WASI } = require('wasi'); new WASI({ version: 'preview1', preopens: { '/': '/' } }); return true",
  },
  { name: 'connects to a socket in the file system', code: connectTo('ARGS.socket') },
  { name: 'connects to an abstract socket', code: connectTo('ARGS.abstractSocket') },
  {
    name: 'listens on a socket in the file system',
    code: "const s = require('net').createServer(); await new Promise((resolve, reject) => s.on('error', reject).listen(ARGS.absentFile, resolve)); s.close(); return true",
  },
  {
    name: 'changes to another folder',
    code: "const was = process.cwd(); process.chdir('/'); process.chdir(was); return true",
  },
  {
    name: 'becomes another user',
    code: 'process.setegid(process.getgid()); return true',
  },
  {
    name: 'has descriptors of the host',
    code: "const fs = require('fs'); for (let fd = 3; fd < 64; fd++) { try { const s = fs.fstatSync(fd); if (s.isFile() || s.isDirectory()) return true } catch {} } return false",
  },
];
