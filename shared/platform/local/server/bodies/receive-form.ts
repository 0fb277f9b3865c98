import type { Writable } from 'node:stream';
import {
  anonymousBodyBytes,
  maxUploads,
  minUploadRate,
  uncountedBodyBytes,
} from '../../../../values/bounds.ts';
import { type ApiError, refused, serverBusy, tooLarge } from '../../../../values/errors/errors.ts';
import { neverRejects } from '../../../../values/promises/in-background.ts';
import { addressGroup } from '../../../../values/source-address.ts';
import { arrivedTooSlowly } from '../broken-request.ts';
import type { Patience } from '../patience.ts';
import { type Arriving, declaredBytes } from './arriving.ts';
import type { Release, Room, RoomSize } from './room.ts';
import { type Watch, watchLarge, watchSmall } from './watch-gain.ts';

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

/** What a genuine form allows. */
export interface AdmittedUpload {
  /** What its upload is counted for. */
  readonly owner: string;
  /** Of its file. */
  readonly maxBytes: number;
}

/** Reads a form; returns the error when nothing was stored. */
export type ReadForm = (form: ArrivingForm) => Promise<ApiError | undefined>;

/** What the receiver has for all forms. */
export interface FormRooms {
  readonly patience: Patience;
  /** Counts the bytes of fields. */
  readonly fields: Room;
  /** Counts uploads. */
  readonly uploads: Room;
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
  const { message, head, goOn } = request;
  const address = addressGroup(head.sourceAddress);
  const bytes = Math.min(declaredBytes(message) ?? anonymousBodyBytes, anonymousBodyBytes);
  const releases: Release[] = [];
  let [isOver, isAdmitted] = [false, false];
  const takeFields = async () => {
    const release = await rooms.fields.take({ bytes, owner: undefined, address });
    if (isOver || isAdmitted) release?.();
    else if (release !== undefined) releases.push(release);
    return release !== undefined || isAdmitted;
  };
  const intake = openIntake(request, rooms.patience, takeFields);
  const admit = async ({ owner, maxBytes }: AdmittedUpload) => {
    intake.pause();
    isAdmitted = true;
    const upload = await rooms.uploads.take({ bytes: 1, owner, address });
    for (const release of releases.splice(0)) release(); // of its fields
    if (upload === undefined) return false;
    releases.push(upload);
    if (isOver) upload(); // its client has disconnected while it waited
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
    for (const each of releases) each();
  }
}

/** Counts and times the bytes of a form. */
interface Intake extends Pick<ArrivingForm, 'pour'> {
  /** Stops the time: the client waits for this server. */
  pause(): void;
  /** Lets more bytes pass than fields have. */
  admit(maxFileBytes: number): void;
  end(): void;
}

/**
 * @param takeFields counts the fields, once they are more than the head of a genuine form. It is not called before: a form
 *   of which nothing has arrived takes no room from genuine ones
 */
function openIntake(
  { message }: Arriving,
  patience: Patience,
  takeFields: () => Promise<boolean>,
): Intake {
  const { gainWindowMs, smallBodyMs, uploadIdleMs } = patience;
  const body = { bytes: 0 };
  let limit = { bytes: anonymousBodyBytes, error: anonymousBodyBytes };
  let sink: Writable | undefined;
  let isOver = false;
  const fields = countOnce(takeFields, () => !isOver && breakOff(serverBusy(1)));
  let onBroken: (why: ApiError | 'gone') => void = () => undefined;
  const tooSlow = () => breakOff(refused(408, arrivedTooSlowly, 'request_timeout'));
  const endSlowUpload = () => {
    tooSlow();
    message.destroy(); // its client sends no more, and need not be told
  };
  const times = { pauseMs: gainWindowMs, wholeMs: smallBodyMs };
  let watch: Watch | undefined = watchSmall(body, times, tooSlow);
  const onData = (chunk: Buffer) => {
    // all earlier bytes have passed the parser: if they held a genuine form, it is admitted by now
    if (body.bytes > limit.bytes) breakOff(tooLarge(limit.error));
    body.bytes += chunk.byteLength;
    watch?.gained();
    queueMicrotask(countFields); // when the chunk has passed the parser
  };
  const countFields = () => !isOver && body.bytes > uncountedBodyBytes && fields.count();
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
    pour: (parser, act) => {
      sink = parser;
      onBroken = act;
      message.on('data', onData).on('end', stopWatch).on('close', onClose);
      message.on('error', () => undefined); // its connection may break at any later time
      if (message.destroyed && !message.complete) breakOff('gone');
      else message.pipe(parser);
    },
    pause: () => {
      fields.needNot();
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

/** Takes room for fields once, unless the form proves to be genuine before. */
function countOnce(takeFields: () => Promise<boolean>, onRefused: () => unknown) {
  let isDecided = false;
  return {
    needNot: () => {
      isDecided = true;
    },
    count: () => {
      if (isDecided) return;
      isDecided = true;
      const taken = takeFields().then((isTaken) => {
        if (!isTaken) onRefused();
      });
      neverRejects(taken); // a room only waits
    },
  };
}
