import { findPython2, python2Page } from '../../../../shared/values/python/python2.ts';

const shownFindings = 3;

/** Returns the warning for a source of Python 2, with its first positions; undefined for one of Python 3. */
export function python2Warning(path: string, source: string): string | undefined {
  const found = findPython2(source).filter(({ isCertain }) => isCertain);
  if (found.length === 0) return undefined;
  const lines = found.slice(0, shownFindings).map(({ line, what }) => `line ${line}: ${what}`);
  if (found.length > shownFindings) lines.push('and more');
  return `${path} is Python 2, and a run of it fails: ${lines.join(', ')}. How to convert: ${python2Page}`;
}
