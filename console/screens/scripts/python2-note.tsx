import { useEffect, useState } from 'preact/hooks';
import {
  describePython2,
  findPython2,
  type Python2Finding,
  python2Page,
} from '../../../shared/values/python/python2.ts';

interface Python2NoteProps {
  readonly language: string;
  readonly source: string;
}

const pauseMs = 300; // after a key, so that typing does not wait
const shownFindings = 5;

/** Says where a script is Python 2, which no run accepts. */
export function Python2Note({ language, source }: Python2NoteProps) {
  const [findings, setFindings] = useState<readonly Python2Finding[]>([]);
  useEffect(() => {
    const look = () => setFindings(language === 'python' ? certainOnes(source) : []);
    const timer = setTimeout(look, pauseMs);
    return () => clearTimeout(timer);
  }, [language, source]);
  if (findings.length === 0) return null;
  const lines = findings.slice(0, shownFindings).map(describePython2);
  if (findings.length > shownFindings) lines.push('and more');
  return (
    <p class="error" role="status">
      Scripts run in Python 3: {lines.join('; ')}. How to convert: <code>{python2Page}</code>
    </p>
  );
}

function certainOnes(source: string): readonly Python2Finding[] {
  return findPython2(source).filter(({ isCertain }) => isCertain);
}
