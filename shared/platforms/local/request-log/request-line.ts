import { type CallerKind, callerKinds, type RequestRecord } from '../../../ports/request-log.ts';

/*
 * A record is a line of fields between tabs: no value of a record has a tab or a line break, and for each request that
 * costs a third of JSON. Seconds are a field of their own, because V8 remembers the texts of small integers.
 */

const fieldCount = 13;
const secondMicros = 1_000_000;

/** Writes a record as a line. Its file shows the instance. */
export function toRequestLine(record: RequestRecord): string {
  const { atMicros, method, status, durationMicros, requestBytes, responseBytes = '' } = record;
  const { caller = '', callerId = '', requestId, route, ids, parameters } = record;
  const seconds = Math.floor(atMicros / secondMicros);
  const micros = atMicros - seconds * secondMicros;
  return `${seconds}\t${micros}\t${method}\t${status}\t${durationMicros}\t${requestBytes}\t${responseBytes}\t${caller}\t${callerId}\t${requestId}\t${route}\t${ids}\t${parameters}\n`;
}

/** Reads a line without its line break; undefined for one that is damaged, as the last one after a power cut. */
export function parseRequestLine(line: string, instance: number): RequestRecord | undefined {
  const fields = line.split('\t');
  if (fields.length !== fieldCount) return undefined;
  const [seconds, micros, method = '', status, duration, received, sent] = fields;
  const [caller, callerId, requestId = '', route = '', ids = '', parameters = ''] = fields.slice(7);
  const record = {
    atMicros: Number(seconds) * secondMicros + Number(micros),
    instance,
    requestId,
    method,
    route,
    ids,
    parameters,
    status: Number(status),
    durationMicros: Number(duration),
    requestBytes: Number(received),
    responseBytes: sent ? Number(sent) : undefined,
    caller: isKind(caller) ? caller : undefined,
    callerId: callerId ? Number(callerId) : undefined,
  };
  return method !== '' && Number.isSafeInteger(record.atMicros) ? record : undefined;
}

function isKind(text: string | undefined): text is CallerKind {
  return (callerKinds as readonly (string | undefined)[]).includes(text);
}
