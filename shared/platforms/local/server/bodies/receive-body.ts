import { maxEventBytes } from '../../../../core/http/event-size.ts';
import type { AdmittedBody, Genuine, HeadCheck } from '../../../../core/pipeline/admission.ts';
import { nextRound } from '../../../../ports/limits/event-loop-rounds.ts';
import type { Share } from '../../../../ports/limits/fair-queue.ts';
import type { QueueState } from '../../../../ports/limits/request-queue.ts';
import {
  anonymousBodyBytes,
  anonymousParsedRoom,
  anonymousReceivingRoom,
  heavyBodyBytes,
  maxStructure,
  parsedBytesPerCharacter,
  parsedRoom,
  receivingRoom,
  uncountedBodyBytes,
} from '../../../../values/bounds.ts';
import { ApiError, detailError, serverBusy, tooLarge } from '../../../../values/errors/errors.ts';
import { addressGroup } from '../../../../values/source-address.ts';
import { arrivedTooSlowly } from '../broken-request.ts';
import type { ServerTimeouts } from '../patience.ts';
import { openArrivalClaim } from './arrival-claim.ts';
import { type Arriving, declaredBytes } from './arriving.ts';
import { type Collected, type Collecting, collectBody } from './collect-body.ts';
import { type MemoryBudget, openMemoryBudget, type ReturnBytes } from './memory-budget.ts';
import { type ReadForm, receiveForm, uploadRoom } from './receive-form.ts';
import { createTurns } from './turns.ts';

/** Bytes of a body that the gateway accepts. */
const maxBodyBytes = 10_485_760;

/** Counters of the bytes of bodies: while they arrive, and while their requests run. */
interface Rooms {
  readonly receiving: MemoryBudget;
  readonly parsed: MemoryBudget;
}

interface AllRooms {
  readonly genuine: Rooms;
  readonly anonymous: Rooms;
}

/** THE ENTRANCE of bodies: every byte of each is received here, within the limits of the whole server. */
export interface Receiver {
  /** States of the memory for bodies. */
  readonly budgets: readonly QueueState[];
  /** @returns the body; the error response in its place; or that its client has gone */
  receive(request: Arriving): Promise<ReceivedBody | ApiError | 'gone'>;
  /**
   * Receives an upload form, without collecting it. Until it is admitted, it counts as a body without credential.
   *
   * @returns the error when nothing was stored; undefined when it was
   */
  receiveForm(request: Arriving, read: ReadForm): Promise<ApiError | undefined>;
}

export interface ReceiverOptions {
  /** Absent: every body counts as one with a genuine credential. */
  readonly headCheck: HeadCheck | undefined;
  readonly patience: ServerTimeouts;
  /** Most connections of the server. */
  readonly maxConnections: number;
}

/** A body that has arrived. */
export interface ReceivedBody {
  /** Undefined: the response does not depend on it, and it was not read. */
  readonly bytes: Buffer | undefined;
  /** To be called when the request has been served. */
  readonly release: ReturnBytes;
  /** Ends its turn before that; absent: it has none. */
  readonly endTurn?: ReturnBytes;
}

/** Opens a receiver with rooms of its own. */
export function openReceiver({ headCheck, patience, maxConnections }: ReceiverOptions): Receiver {
  const rooms = {
    genuine: { receiving: openMemoryBudget(receivingRoom), parsed: openMemoryBudget(parsedRoom) },
    anonymous: {
      receiving: openMemoryBudget(anonymousReceivingRoom),
      parsed: openMemoryBudget(anonymousParsedRoom),
    },
  };
  const uploads = openMemoryBudget(uploadRoom(maxConnections));
  const takeTurn = createTurns();
  const { genuine, anonymous } = rooms;
  return {
    budgets: [genuine.receiving, genuine.parsed, anonymous.receiving, anonymous.parsed, uploads],
    receiveForm: (request, read) =>
      receiveForm(request, read, { patience, fields: rooms.anonymous.receiving, uploads }),
    receive: async (request) => {
      const admission = (await headCheck?.admit(request.head)) ?? unlimited;
      if (admission.kind === 'unread') return { bytes: undefined, release: () => undefined };
      const body: Collected = { chunks: [], bytes: 0 };
      const intake: Intake = { headCheck, patience, body, releases: [], ...request };
      const release = () => {
        for (const each of intake.releases) each();
      };
      const outcome = await takeBody(intake, admission, rooms).catch((error: unknown) => {
        release();
        if (error instanceof ApiError) return error; // what arrived is no form
        throw error;
      });
      if (!Buffer.isBuffer(outcome)) {
        release();
        return outcome;
      }
      const share = turnOf(admission, outcome.length);
      if (share === undefined) return { bytes: outcome, release };
      const endTurn = await takeTurn(share);
      intake.releases.push(endTurn);
      return { bytes: outcome, release, endTurn };
    },
  };
}

const unlimited: AdmittedBody = { kind: 'genuine', owner: '', maxBytes: maxBodyBytes };

/** Returns what the turn of a request counts for; undefined: it takes none. A small body is no reason to wait. */
function turnOf(admission: AdmittedBody, bytes: number): Share | undefined {
  return admission.kind === 'genuine' && bytes > uncountedBodyBytes ? admission.turn : undefined;
}

interface Intake extends Arriving {
  readonly headCheck: HeadCheck | undefined;
  readonly patience: ServerTimeouts;
  readonly body: Collected;
  /** Release functions of all that was taken for it. */
  readonly releases: ReturnBytes[];
}

type Outcome = Buffer | ApiError | 'gone';

/** Bytes reserved at first for a body of unknown length. */
const firstBytes = anonymousBodyBytes;

function takeBody(intake: Intake, admission: AdmittedBody, rooms: AllRooms): Promise<Outcome> {
  return admission.kind === 'genuine'
    ? takeGenuine(intake, admission, rooms.genuine)
    : takeAnonymous(intake, rooms);
}

async function takeGenuine(
  intake: Intake,
  { owner, maxBytes }: Genuine,
  rooms: Rooms,
): Promise<Outcome> {
  const { message, head, body, patience } = intake;
  const error = sizeError(declaredBytes(message) ?? 0, maxBytes);
  if (error !== undefined) return error;
  intake.onGenuine();
  const claim = { owner, address: addressGroup(head.sourceAddress) };
  const stages = [declaredBytes(message) ?? Math.max(firstBytes, 2 * body.bytes), maxBytes];
  for (const bytes of stages) {
    if (!(await take(intake, rooms.receiving, { bytes, ...claim }))) return serverBusy(1);
    intake.goOn();
    const limits = { maxBytes: Math.min(bytes, maxBytes), patience };
    const how = await collectBody(message, body, limits);
    if (how === 'whole') return finish(intake, rooms.parsed, claim);
    if (how !== 'more') return responseTo(how);
  }
  return tooLarge(maxBytes);
}

async function takeAnonymous(intake: Intake, rooms: AllRooms): Promise<Outcome> {
  const { message, head, body, headCheck, patience } = intake;
  const declared = declaredBytes(message) ?? firstBytes;
  const isForm = /^\s*multipart\/form-data/i.test(message.headers['content-type'] ?? '');
  if (declared > anonymousBodyBytes && !isForm) return tooLarge(anonymousBodyBytes);
  const address = addressGroup(head.sourceAddress);
  const openClaim = (onNoRoom: () => void) => {
    const claim = openArrivalClaim(rooms.anonymous.receiving, address, onNoRoom);
    intake.releases.push(claim.release);
    return claim;
  };
  intake.goOn();
  const limits = { maxBytes: anonymousBodyBytes, patience, openClaim };
  const how = await collectBody(message, body, limits);
  if (how === 'whole') return finish(intake, rooms.anonymous.parsed, { owner: undefined, address });
  if (how !== 'more') return responseTo(how);
  const start = Buffer.concat(body.chunks).subarray(0, anonymousBodyBytes);
  const genuine = await headCheck?.admitByStart(head, start);
  if (genuine === undefined) return tooLarge(anonymousBodyBytes);
  for (const release of intake.releases.splice(0)) release(); // counted for its owner from here on
  return takeGenuine({ ...intake, goOn: () => undefined }, genuine, rooms.genuine);
}

/** Returns what a client gets whose body did not arrive. */
function responseTo(how: Exclude<Collecting, 'whole' | 'more'>): ApiError | 'gone' {
  switch (how) {
    case 'gone':
      return 'gone';
    case 'too slow':
      return detailError(408, arrivedTooSlowly, 'request_timeout');
    case 'no room':
      return serverBusy(1);
  }
}

/** Takes bytes of a room; small bodies are not counted. */
async function take(
  { releases }: Intake,
  room: MemoryBudget,
  claim: { readonly bytes: number; readonly owner: string | undefined; readonly address: string },
): Promise<boolean> {
  if (claim.bytes <= uncountedBodyBytes) return true;
  const release = await room.take(claim);
  if (release !== undefined) releases.push(release);
  return release !== undefined;
}

/** Returns the body in one piece, counted with the memory that parsing may take. */
async function finish(
  intake: Intake,
  room: MemoryBudget,
  claim: { readonly owner: string | undefined; readonly address: string },
): Promise<Outcome> {
  const { chunks, bytes } = intake.body;
  const weight = Math.min(bytes, maxStructure) * parsedBytesPerCharacter;
  const isCounted = bytes > uncountedBodyBytes;
  if (bytes > heavyBodyBytes) await nextRound();
  if (isCounted && !(await take(intake, room, { bytes: weight, ...claim }))) return serverBusy(1);
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, bytes);
}

/** Checks the limits of gateway, function and route, in the order of a request. */
function sizeError(bytes: number, maxBytes: number): ApiError | undefined {
  const limit = [maxBodyBytes, maxEventBytes, maxBytes].find((each) => bytes > each);
  return limit === undefined || bytes <= maxBytes ? undefined : tooLarge(limit);
}
