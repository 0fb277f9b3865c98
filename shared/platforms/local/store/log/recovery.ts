import { idBytes, type LogRecord, pageBytes, readRecord } from './record.ts';

/*
 * A file of the log begins with a page that names it; records follow. A file is used again from its beginning once the
 * tables have all of its records, so behind the newest record there are older ones.
 */

const mark = Buffer.from('groundwork log 1');

/** A log that cannot be recovered. */
export class DamagedLog extends Error {}

/** Returns the first page of a file of the log. */
export function firstPage(id: Buffer): Buffer {
  const page = Buffer.alloc(pageBytes);
  mark.copy(page);
  id.copy(page, mark.length);
  return page;
}

/**
 * Returns the id in the first page of a file.
 *
 * @throws DamagedLog when it is no such page
 */
export function readId(file: Buffer): Buffer {
  if (file.length < pageBytes || !file.subarray(0, mark.length).equals(mark)) {
    throw new DamagedLog('a file of the log is damaged');
  }
  return file.subarray(mark.length, mark.length + idBytes);
}

/**
 * Returns the records of a log that its tables do not have, in order. Of the last one written only a part may be there:
 * then nobody was told that it was stored, and it is left out.
 *
 * @param applied number of the last record that the tables have
 * @throws DamagedLog when one is missing and a later one is there
 */
export function recoverRecords(
  files: readonly Buffer[],
  { id, applied }: { readonly id: Buffer; readonly applied: number },
): readonly LogRecord[] {
  const found = new Map<number, LogRecord>();
  for (const record of files.flatMap((file) => recordsOf(id, file))) {
    if (record.number <= applied) continue;
    const other = found.get(record.number);
    if (other !== undefined && !other.bytes.equals(record.bytes)) {
      throw new DamagedLog(`the log has two records ${record.number}`);
    }
    found.set(record.number, record);
  }
  const records = [...found.values()].sort((one, other) => one.number - other.number);
  records.forEach(({ number }, at) => {
    const expected = applied + 1 + at;
    if (number === expected) return;
    throw new DamagedLog(
      `record ${expected} of the log is missing or damaged, and ${number} is there`,
    );
  });
  return records;
}

function recordsOf(id: Buffer, file: Buffer): readonly LogRecord[] {
  const records: LogRecord[] = [];
  for (let at = pageBytes; at < file.length; ) {
    const record = readRecord(id, file.subarray(at));
    if (record !== undefined) records.push(record);
    at += record?.bytes.length ?? pageBytes;
  }
  return records;
}
