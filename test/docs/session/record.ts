import { writeFileSync } from 'node:fs';
import { drawCast, readCast, textOf, writeCast } from './cast.ts';
import { castFile, commands, drawingFile } from './files.ts';
import { play } from './play.ts';

/* Records the session of docs/guides/command-line.md: `npm run record`. Prints the text that the page shows. */

const { steps, close } = await play(commands);
close();
const cast = writeCast('From an empty folder to a typed query', steps);
const recording = readCast(cast);
writeFileSync(castFile, cast);
writeFileSync(drawingFile, drawCast(recording));
process.stdout.write(textOf(recording));
