import sharp from 'sharp';

const palettes = [
  ['#1e3a5f', '#f2c14e'],
  ['#7b2d26', '#f0f3bd'],
  ['#2d6a4f', '#d8f3dc'],
  ['#3d348b', '#f7b801'],
  ['#264653', '#e9c46a'],
  ['#5f0f40', '#fb8b24'],
] as const;

/** Draws the cover of a book, 240 by 360 pixels. */
export function drawCover(title: string, author: string, turn: number): Promise<Buffer> {
  const [ground, ink] = palettes[turn % palettes.length] ?? palettes[0];
  const lines = breakLines(title, 14).map(
    (line, at) =>
      `<text x="120" y="${90 + at * 30}" font-size="24" font-weight="bold">${line}</text>`,
  );
  const shape =
    turn % 2 === 0
      ? `<circle cx="120" cy="255" r="${40 + (turn % 3) * 8}" fill="none" stroke="${ink}" stroke-width="6"/>`
      : `<path d="M60 300 L120 ${200 + (turn % 4) * 12} L180 300 Z" fill="${ink}" opacity="0.8"/>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="240" height="360">
    <rect width="240" height="360" fill="${ground}"/>
    <rect x="12" y="12" width="216" height="336" fill="none" stroke="${ink}" stroke-width="2"/>
    ${shape}<g fill="${ink}" font-family="serif" text-anchor="middle">${lines.join('')}
    <text x="120" y="335" font-size="15">${author}</text></g></svg>`;
  return sharp(Buffer.from(svg)).png({ palette: true }).toBuffer();
}

/** Breaks a text between words into lines of about a length. */
function breakLines(text: string, length: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < length)
      lines.push(`${lines.pop()} ${word}`);
    else lines.push(word);
  }
  return lines;
}
