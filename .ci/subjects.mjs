/*
 * Checks the subjects of commits: `area: what to do`, imperative, lower case, at most 72 characters.
 *
 * node .ci/subjects.mjs          those of the branch, since the rule
 * node .ci/subjects.mjs FILE     the first line of a file, as git's commit-msg hook has it
 *
 * A program cannot tell a verb from a noun. It finds words that begin a noun phrase, and past forms in -ed.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The last commit before the rule. */
const base = '7efcfe016f5dcf2f1ac86bb5d24fe1a8abcefc76';
const maxLength = 72;
const form = /^[a-z0-9][a-z0-9 ,/._-]*: (?<first>[a-z][\w-]*)/;
const nounMarkers = new Set(
  'a all an another both each every how its no one our some that the their these this those three two what when where which who'.split(
    ' ',
  ),
);
/** Verbs that end like a past form. */
const verbsInEd = new Set(
  'bleed breed embed exceed feed heed need proceed seed shed speed succeed'.split(' '),
);

const file = process.argv[2];
const subjects = file === undefined ? subjectsSince(base) : [readFirstLine(file)];
const wrong = subjects.flatMap((subject) => {
  const fault = faultOf(subject);
  return fault === undefined ? [] : [`${fault}: ${subject}\n`];
});
process.stdout.write(wrong.join(''));
process.exitCode = wrong.length === 0 ? 0 : 1;

/** Says what is wrong with a subject; undefined if nothing is. */
function faultOf(subject) {
  if (subject.length > maxLength) return `${subject.length} characters, more than ${maxLength}`;
  const first = form.exec(subject)?.groups.first;
  if (first === undefined) return 'not of the form "area: verb ..." in lower case';
  if (subject.endsWith('.')) return 'ends with a full stop';
  if (nounMarkers.has(first)) return `begins with "${first}", not with a verb`;
  if (first.endsWith('ed') && !verbsInEd.has(first))
    return `begins with the past form "${first}", not with a verb`;
  return undefined;
}

/** Reads the subjects of the commits after one, without merges; none, with a line that says so, without history. */
function subjectsSince(commit) {
  const git = (...args) =>
    spawnSync('git', args, {
      cwd: fileURLToPath(new URL('..', import.meta.url)),
      encoding: 'utf8',
    });
  if (git('merge-base', '--is-ancestor', commit, 'HEAD').status !== 0) {
    process.stdout.write(
      'skipped: subjects of commits; this clone has no history since the rule\n',
    );
    return [];
  }
  const { stdout } = git('log', '--no-merges', '--format=%s', `${commit}..HEAD`);
  return stdout.split('\n').filter((line) => line !== '');
}

function readFirstLine(path) {
  return readFileSync(path, 'utf8').split('\n')[0];
}
