import { writeFileSync } from 'node:fs';
import { htmlReference, pageFile } from './html-reference.ts';

/* Writes docs/reference/api.html from the routes: `npm run reference`. */

writeFileSync(pageFile, htmlReference());
