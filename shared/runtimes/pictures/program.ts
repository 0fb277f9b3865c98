import { createRequire } from 'node:module';
import type { Sharp, default as sharpFunction } from 'sharp';
import { runJobs } from '../job-program.ts';
import type { PictureType } from './picture-type.ts';
import { maxPixels, type PictureJob, type PictureReply } from './worker.ts';

// Program of a process that makes a picture smaller. It loads sharp before it leaves root, which may own the packages.

const path = process.argv[2] ?? '';
const sharp: typeof sharpFunction = createRequire(path)(path);
sharp.cache(false);
sharp.concurrency(1);
// of all that libvips reads, only these: a file that says to be a PNG and is an SVG is none
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif'].map((name) => `VipsForeignLoad${name}`),
});

/** Options of the results: a GIF gives its first frame. */
const results: Readonly<Record<PictureType, (picture: Sharp) => Sharp>> = {
  jpeg: (picture) => picture.jpeg(),
  png: (picture) => picture.png(),
  webp: (picture) => picture.webp(),
  gif: (picture) => picture.png(),
  avif: (picture) => picture.avif({ effort: 2 }), // 4, the default, takes more than five seconds for large ones
};

runJobs<PictureJob>(async ({ bytes, type, width, height }): Promise<PictureReply> => {
  try {
    const picture = sharp(Buffer.from(bytes, 'base64'), {
      limitInputPixels: maxPixels,
      failOn: 'error',
      autoOrient: true,
    }).resize({
      ...(width > 0 && { width }),
      ...(height > 0 && { height }),
      withoutEnlargement: true,
    });
    const made = await results[type](picture).toBuffer();
    return { bytes: made.toString('base64') };
  } catch {
    return {}; // of the file: it is no such picture, damaged or too large
  }
});
