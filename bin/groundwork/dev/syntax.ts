import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Script } from 'node:vm';
import * as v from 'valibot';
import {
  describePython,
  pythonFlags,
  usualPythons,
} from '../../../shared/platforms/local/scripts/commands/find-python.ts';
import type { Project } from '../project/files/project.ts';
import type { Terminal } from '../terminal.ts';

/** A script as it is pushed. */
interface Source {
  readonly path: string;
  readonly source: string;
}

/** A syntax error. */
interface SyntaxProblem {
  readonly line: number;
  readonly message: string;
}

/** Returns the syntax errors of the scripts of a project: `scripts/greet.js, line 3: Unexpected token ')'`. */
export type CheckSyntax = (project: Project) => Promise<readonly string[]>;

/**
 * Opens a check of the syntax of scripts, by this Node and by the python3 of this machine. Where there is none, that is
 * said once. Bundles have been checked when they were made.
 *
 * @param pythons programs to try
 */
export function openSyntaxCheck(out: Terminal, pythons = usualPythons): CheckSyntax {
  const checkPython = openPythonCheck(out, pythons);
  return async (project) => {
    const { javascript, python } = sourcesOf(project);
    const wrong = [
      ...javascript.map((source) => [source, javascriptProblem(source)] as const),
      ...(python.length === 0 ? [] : await checkPython(python)),
    ];
    return wrong.flatMap(([{ path }, problem]) =>
      problem == null ? [] : [`${path}, line ${problem.line}: ${problem.message}`],
    );
  };
}

function sourcesOf({ files, state }: Project) {
  const scripts = state.get('scripts');
  const [javascript, python]: [Source[], Source[]] = [[], []];
  for (const [name, { path, read }] of files) {
    if (!('source' in read)) continue;
    const isPython = String(scripts?.get(name)?.runtime_name).startsWith('python');
    if (isPython) python.push({ path, source: read.source });
    else if (!read.isBundle) javascript.push({ path, source: read.source });
  }
  return { javascript, python };
}

/** Compiles a script as the server does. */
function javascriptProblem({ source }: Source): SyntaxProblem | undefined {
  try {
    new Script(source, { filename: 'script' });
    return undefined;
  } catch (error) {
    if (error instanceof RangeError) return { line: 1, message: error.message }; // too deep for the compiler
    if (!(error instanceof SyntaxError)) throw error;
    const [, line = '1'] = /^script:(\d+)\n/.exec(error.stack ?? '') ?? [];
    return { line: Number(line), message: error.message };
  }
}

const pythonProgram = fileURLToPath(new URL('check_syntax.py', import.meta.url));
const pythonLimits = { timeout: 10_000, maxBuffer: 4 * 1024 * 1024 };
const pythonProblems = v.array(v.nullable(v.object({ line: v.number(), message: v.string() })));

type Checked = readonly (readonly [Source, SyntaxProblem | null])[];

function openPythonCheck(
  out: Terminal,
  pythons: readonly string[],
): (sources: readonly Source[]) => Promise<Checked> {
  let program: Promise<string | undefined> | undefined;
  return async (sources) => {
    program ??= findPython(out, pythons);
    const found = await program;
    if (found === undefined) return [];
    const running = promisify(execFile)(found, [...pythonFlags, pythonProgram], pythonLimits);
    running.child.stdin?.on('error', () => {}); // its end says why
    running.child.stdin?.end(JSON.stringify(sources.map(({ source }) => source)));
    const problems = v.parse(pythonProblems, JSON.parse((await running).stdout));
    return sources.map((source, at) => [source, problems[at] ?? null] as const);
  };
}

async function findPython(out: Terminal, pythons: readonly string[]): Promise<string | undefined> {
  for (const candidate of pythons) {
    const found = await describePython(candidate);
    if (found !== undefined) return found.program;
  }
  out.warn('There is no python3 here: the syntax of scripts in Python is not checked.');
  return undefined;
}
