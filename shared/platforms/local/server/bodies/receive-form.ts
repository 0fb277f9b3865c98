import type { IncomingMessage } from 'node:http';
import type { Writable } from 'node:stream';
import { anonymousBodyBytes, maxUploads, minUploadRate } from '../../../../values/bounds.ts';
import {
  type ApiError,
  detailError,
  serverBusy,
  tooLarge,
} from '../../../../values/errors/errors.ts';
import { addressGroup } from '../../../../values/source-address.ts';
import { arrivedTooSlowly } from '../broken-request.ts';
import type { ServerTimeouts } from '../patience.ts';
import { type ArrivalClaim, openArrivalClaim } from './arrival-claim.ts';
import type { Arriving } from './arriving.ts';
import type { MemoryBudget, ReturnBytes } from './memory-budget.ts';
import type { Holder, RoomSize } from './shares.ts';
import { type GainWatch, watchLarge, watchSmall } from './watch-gain.ts';

/** The body of an upload form on its way: fields, then a file. */
export interface ArrivingForm {
  /** Passes what arrives to a parser until the end. `onBroken` is called when the rest does not follow. */
  pour(parser: Writable, onBroken: (why: ApiError | 'gone') => void): void;
  /**
   * Admits the file, once the form has proved to be genuine: it may take its time from then on.
   *
   * @returns false when its owner or address has too many uploads
   */
  admit(upload: AdmittedUpload): Promise<boolean>;
}

/** Upload that a genuine form allows. */
export interface AdmittedUpload {
  /** Owner that its upload is counted for. */
  readonly owner: string;
  /** Of its file. */
  readonly maxBytes: number;
}

/** Reads a form; returns the error when nothing was stored. */
export type ReadForm = (form: ArrivingForm) => Promise<ApiError | undefined>;

/** Values of the receiver that all forms share. */
export interface FormRooms {
  readonly patience: ServerTimeouts;
  /** Counts the bytes of fields. */
  readonly fields: MemoryBudget;
  /** Counts uploads. */
  readonly uploads: MemoryBudget;
}

/** Returns how many large uploads there may be: an upload is a connection as well. */
export function uploadRoom(maxConnections: number): RoomSize {
  const total = Math.min(maxUploads, Math.ceil(maxConnections / 2));
  return { total, perOwner: Math.ceil(total / 4), perAddress: Math.ceil(total / 2) };
}

/** Receives a form: 64 KB in 15 s without credential, and more at a least rate when it has been admitted. */
export async function receiveForm(
  request: Arriving,
  read: ReadForm,
  rooms: FormRooms,
): Promise<ApiError | undefined> {
  const { head, goOn } = request;
  const address = addressGroup(head.sourceAddress);
  const fields = openArrivalClaim(rooms.fields, address, () => intake.giveUp());
  let returnBytes: ReturnBytes | undefined;
  let isOver = false;
  const intake: Intake = openIntake(request, rooms.patience, fields);
  const admit = async ({ owner, maxBytes }: AdmittedUpload) => {
    intake.pause();
    fields.release();
    returnBytes = await rooms.uploads.take({ bytes: 1, owner, address, holder: intake });
    if (returnBytes === undefined) return false;
    if (isOver) returnBytes(); // its client has disconnected while it waited
    intake.admit(maxBytes);
    request.onGenuine();
    return true;
  };
  goOn();
  try {
    return await read({ pour: intake.pour, admit });
  } finally {
    isOver = true;
    intake.end();
    fields.release();
    returnBytes?.();
  }
}

/** Counts and times the bytes of a form. */
interface Intake extends Pick<ArrivingForm, 'pour'>, Holder {
  /** Stops the time: the client waits for this server. */
  pause(): void;
  /** Lets more bytes pass than fields have. */
  admit(maxFileBytes: number): void;
  end(): void;
}

function openIntake({ message }: Arriving, patience: ServerTimeouts, claim: ArrivalClaim): Intake {
  const { gainWindowMs, smallBodyMs, uploadIdleMs } = patience;
  const body = { bytes: 0 };
  let limit = { bytes: anonymousBodyBytes, error: anonymousBodyBytes };
  let sink: Writable | undefined;
  let isOver = false;
  let onBroken: (why: ApiError | 'gone') => void = () => undefined;
  const tooSlow = () => breakOff(detailError(408, arrivedTooSlowly, 'request_timeout'));
  const endSlowUpload = () => {
    tooSlow();
    message.destroy(); // its client sends no more, and need not be told
  };
  const times = { pauseMs: gainWindowMs, wholeMs: smallBodyMs };
  let watch: GainWatch | undefined = watchSmall(body, times, tooSlow);
  const onData = (chunk: Buffer) => {
    // all earlier bytes have passed the parser: if they held a genuine form, it is admitted by now
    if (body.bytes > limit.bytes) breakOff(tooLarge(limit.error));
    body.bytes += chunk.byteLength;
    watch?.gained();
    queueMicrotask(() => !isOver && claim.reach(body.bytes)); // when the chunk has passed the parser
  };
  const onClose = () => !message.complete && breakOff('gone');
  const stopWatch = () => watch?.stop();
  function end(): void {
    isOver = true;
    stopWatch();
    message.off('data', onData).off('end', stopWatch).off('close', onClose);
    if (sink !== undefined) message.unpipe(sink);
  }
  function breakOff(why: ApiError | 'gone'): void {
    end();
    onBroken(why);
  }
  return {
    end,
    rate: rateOf(message, body),
    giveUp: () => {
      if (!isOver) breakOff(serverBusy(1));
    },
    pour: (parser, act) => {
      sink = parser;
      onBroken = act;
      message.on('data', onData).on('end', stopWatch).on('close', onClose);
      message.on('error', () => undefined); // its connection may break at any later time
      if (message.destroyed && !message.complete) breakOff('gone');
      else message.pipe(parser);
    },
    pause: () => {
      watch?.stop();
      watch = undefined;
    },
    admit: (maxFileBytes) => {
      if (isOver) return;
      limit = { bytes: body.bytes + maxFileBytes + anonymousBodyBytes, error: maxFileBytes };
      const minBytes = (minUploadRate * uploadIdleMs) / 1000;
      const isBusy = () => sink?.writableNeedDrain === true;
      if (!message.complete) {
        watch = watchLarge(body, { windowMs: uploadIdleMs, minBytes, isBusy }, endSlowUpload);
      }
    },
  };
}

/** Returns how many bytes of a body arrive in a millisecond; one that has arrived is the fastest. */
function rateOf(message: IncomingMessage, body: { readonly bytes: number }): () => number {
  const started = performance.now();
  const ageMs = () => Math.max(performance.now() - started, 1000); // a first moment says little
  return () => (message.complete ? Number.POSITIVE_INFINITY : body.bytes / ageMs());
}
