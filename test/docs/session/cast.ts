/*
 * A recorded terminal session: asciinema's format, version 2, which is a line with JSON for the recording and one for each
 * output, with its time in seconds.
 */

/** A command of a session, and what it printed. */
export interface Step {
  readonly command: string;
  readonly output: string;
  /** How long it ran. */
  readonly seconds: number;
}

const width = 100;
const prompt = '$ ';
const typingSeconds = 1; // for each command: nobody has typed them

/** An output of a recording. */
type Event = readonly [seconds: number, kind: 'o', text: string];

/** Writes a session as a recording. */
export function writeCast(title: string, steps: readonly Step[]): string {
  const events: Event[] = [];
  let now = 0;
  const add = (seconds: number, text: string) => {
    now += seconds;
    events.push([Number(now.toFixed(3)), 'o', text.replaceAll('\n', '\r\n')]);
  };
  for (const { command, output, seconds } of steps) {
    add(typingSeconds, `${prompt}${command}\n`);
    add(seconds, output);
  }
  const header = { version: 2, width, height: linesOf(events).length + 1, title };
  return [header, ...events].map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** A recording that was read. */
interface Recording {
  readonly width: number;
  readonly height: number;
  readonly title: string;
  readonly steps: readonly Step[];
  /** Lines of the screen, with the times at which they appear. */
  readonly lines: readonly Line[];
  readonly seconds: number;
}

interface Line {
  readonly at: number;
  readonly text: string;
}

/** Reads a recording. */
export function readCast(text: string): Recording {
  const [header, ...events] = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const steps: Step[] = [];
  for (let at = 0; at < events.length; at += 2) {
    const [[began, , typed], [ended, , output]] = [events[at], events[at + 1]];
    steps.push({
      command: typed.slice(prompt.length).trimEnd(),
      output: output.replaceAll('\r\n', '\n'),
      seconds: ended - began,
    });
  }
  return { ...header, steps, lines: linesOf(events), seconds: events.at(-1)[0] };
}

function linesOf(events: readonly Event[]): readonly Line[] {
  return events.flatMap(([at, , text]) =>
    text
      .replace(/\r\n$/, '')
      .split('\r\n')
      .map((line) => ({ at, text: line })),
  );
}

const [row, column, margin] = [20, 8.43, 16];

/** Draws a recording: each line appears at its time, and stays. Viewers without animations show all of it. */
export function drawCast({ width: columns, lines, title }: Recording): string {
  const [wide, high] = [columns * column + 2 * margin, lines.length * row + 2 * margin];
  const drawn = lines.map(({ at, text }, index) => {
    const kind = text.startsWith(prompt) ? ' class="command"' : '';
    const y = margin + index * row + 14;
    return `<text x="${margin}" y="${y}"${kind} style="animation-delay: ${at}s">${escapeText(text)}</text>\n`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${wide} ${high}" role="img">
<title>${escapeText(title)}</title>
<style>
text { font: 14px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #c9d1d9; white-space: pre; animation: appear 1ms backwards; }
.command { fill: #ffffff; font-weight: bold; }
@keyframes appear { from { opacity: 0; } to { opacity: 1; } }
@media (prefers-reduced-motion: reduce) { text { animation: none; } }
</style>
<rect width="100%" height="100%" rx="8" fill="#161b22"/>
${drawn.join('')}</svg>
`;
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Writes a session as text, as a terminal shows it. */
export function textOf({ lines }: Pick<Recording, 'lines'>): string {
  return lines.map(({ text }) => `${text}\n`).join('');
}
