import { probeIsolation } from './shared/platform/local/scripts/sandbox/isolation.ts';
import { findIsolatedPython } from './shared/platform/local/scripts/commands/python-command.ts';
import cp from 'node:child_process';
const t = performance.now();
const i = await probeIsolation({ network: true, level: 'bubblewrap' });
console.log(i, performance.now() - t);
console.log(await findIsolatedPython(i), performance.now() - t);
