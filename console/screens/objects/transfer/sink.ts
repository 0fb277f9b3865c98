/** A file that is written in parts. */
interface Sink {
  readonly write: (text: string) => Promise<void>;
  readonly close: () => Promise<void>;
  /** Ends without a file. */
  readonly discard: () => Promise<void>;
}

/** The part of the File System Access API that is used; not all browsers have it. */
interface FilePicker {
  showSaveFilePicker?(options: { suggestedName: string }): Promise<{
    createWritable(): Promise<{
      write(text: string): Promise<void>;
      close(): Promise<void>;
      abort(): Promise<void>;
    }>;
  }>;
}

/**
 * Opens a file that the user chooses; in browsers that cannot, one that is downloaded at the end.
 *
 * @returns undefined when the user chooses none
 */
async function openSink(name: string): Promise<Sink | undefined> {
  const picker: FilePicker & Window = window;
  if (picker.showSaveFilePicker === undefined) return downloadAtEnd(name);
  let handle: Awaited<ReturnType<typeof picker.showSaveFilePicker>>;
  try {
    handle = await picker.showSaveFilePicker({ suggestedName: name });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return undefined;
    throw error;
  }
  const stream = await handle.createWritable();
  return {
    write: (text) => stream.write(text),
    close: () => stream.close(),
    discard: () => stream.abort(),
  };
}

/**
 * Writes parts of a text into a file that the user chooses; there is none when a part cannot be read.
 *
 * @returns false when the user chooses no file, or aborts
 */
export async function saveText(
  name: string,
  parts: AsyncIterable<string>,
  signal: AbortSignal,
): Promise<boolean> {
  const sink = await openSink(name);
  if (sink === undefined) return false;
  try {
    for await (const part of parts) {
      signal.throwIfAborted();
      await sink.write(part);
    }
    await sink.close();
  } catch (error) {
    await sink.discard();
    if (!signal.aborted) throw error;
    return false;
  }
  return true;
}

const urlMs = 60_000; // until the browser has begun the download

function downloadAtEnd(name: string): Sink {
  const parts: Blob[] = []; // browsers may keep blobs on the disk
  return {
    write: async (text) => {
      parts.push(new Blob([text]));
    },
    close: async () => {
      const url = URL.createObjectURL(new Blob(parts));
      const link = Object.assign(document.createElement('a'), { href: url, download: name });
      link.click();
      setTimeout(() => URL.revokeObjectURL(url), urlMs);
    },
    discard: async () => undefined,
  };
}
