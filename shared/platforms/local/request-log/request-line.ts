import { type CallerKind, callerKinds, type RequestRecord } from '../../../ports/request-log.ts';

/*
 * A record is a line of fields between tabs. No value of a record has a tab or a line break, and joined texts cost a
 * fifth of JSON, for each request.
 */

const fieldCount = 12;

/** Writes a record as a line; its instance is known by the file. */
export function toRequestLine(record: RequestRecord): string {
  const { atMicros, method, status, durationMicros, requestBytes, caller } = record;
  const { responseBytes = '', requestId, route, parameters } = record;
  let ids = '';
  for (const name in record.ids) ids += `${name}=${record.ids[name]},`;
  const id = caller?.id ?? '';
  return `${atMicros}\t${method}\t${status}\t${durationMicros}\t${requestBytes}\t${responseBytes}\t${caller?.kind ?? ''}\t${id}\t${requestId}\t${route}\t${ids}\t${parameters.join()}\n`;
}

/** Reads a line without its line break; undefined for one that is damaged, as the last one after a power cut. */
export function parseRequestLine(line: string, instance: number): RequestRecord | undefined {
  const fields = line.split('\t');
  const [at, method, status, duration, received, sent, kind, id, requestId, route] = fields;
  const [atMicros, durationMicros, requestBytes] = [Number(at), Number(duration), Number(received)];
  if (fields.length !== fieldCount || !isWhole(atMicros, Number(status), requestBytes)) return;
  return {
    atMicros,
    instance,
    requestId: requestId ?? '',
    method: method ?? '',
    route: route ?? '',
    ids: readIds(fields[10] ?? ''),
    parameters: fields[11] ? fields[11].split(',') : [],
    status: Number(status),
    durationMicros,
    requestBytes,
    responseBytes: sent ? Number(sent) : undefined,
    caller: isKind(kind) ? { kind, id: id ? Number(id) : undefined } : undefined,
  };
}

function isWhole(...numbers: readonly number[]): boolean {
  return numbers.every(Number.isSafeInteger);
}

function isKind(text: string | undefined): text is CallerKind {
  return (callerKinds as readonly (string | undefined)[]).includes(text);
}

function readIds(text: string): RequestRecord['ids'] {
  const pairs = text.split(',').flatMap((pair) => {
    const [name, value] = pair.split('=');
    return name && value !== undefined ? [[name, value]] : [];
  });
  return Object.fromEntries(pairs);
}
