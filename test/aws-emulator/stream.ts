import type { DynamoDBRecord } from 'aws-lambda';
import { attributes } from '../../shared/platform/aws/store/table.ts';
import { channelEventEntity, jobEntity, scriptEntity } from '../../shared/store/entities.ts';
import type { Images } from './fake-table.ts';

/** The stream of a table, as far as the API suite needs its effects: scripts, jobs and messages of objects. */
export interface Stream {
  readonly hear: (images: Images) => void;
  /** Resolves when all received changes are delivered. */
  idle(): Promise<void>;
}

/** Opens a stream that delivers in order, all changes since the last delivery at once. */
export function openStream(deliver: (records: DynamoDBRecord[]) => Promise<void>): Stream {
  let waiting: DynamoDBRecord[] = [];
  let sequence = 0;
  let pumping: Promise<void> | undefined;

  const pump = async () => {
    while (waiting.length > 0) {
      const records = waiting;
      waiting = [];
      await deliver(records);
    }
    pumping = undefined; // in the same turn: no change comes in between
  };

  return {
    hear: (images) => {
      if (!isWatched(images)) return;
      sequence += 1;
      waiting.push(toRecord(images, sequence));
      pumping ??= Promise.resolve().then(pump);
    },
    idle: async () => {
      while (pumping !== undefined) await pumping;
    },
  };
}

/** Kinds of which only new items are delivered. */
const onlyNew: readonly (string | undefined)[] = [jobEntity.kind, channelEventEntity.kind];

/** Checks the filters of the event sources. */
function isWatched({ before, after }: Images): boolean {
  const kind = (after ?? before)[attributes.kind]?.S;
  const isScript = kind === scriptEntity.kind;
  if (!isScript && !onlyNew.includes(kind)) return false;
  if (after === undefined) return isScript;
  const isByCall = /^(client|cascade)/.test(after[attributes.change].S);
  return isByCall && (isScript || before === undefined);
}

function toRecord({ before, after }: Images, sequence: number): DynamoDBRecord {
  const eventName = before === undefined ? 'INSERT' : after === undefined ? 'REMOVE' : 'MODIFY';
  return {
    eventName,
    dynamodb: {
      SequenceNumber: String(sequence),
      ...(before && { OldImage: before }),
      ...(after && { NewImage: after }),
    },
  };
}
