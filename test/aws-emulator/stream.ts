import type { DynamoDBRecord } from 'aws-lambda';
import { tableAttributes } from '../../shared/platforms/aws/store/table.ts';
import { channelEventEntity } from '../../shared/table/entities/channels.ts';
import { classEntity } from '../../shared/table/entities/classes.ts';
import { jobEntity } from '../../shared/table/entities/jobs.ts';
import { scriptEntity, triggerEventEntity } from '../../shared/table/entities/scripts.ts';
import type { Images } from './fake-table.ts';

/** Kinds of items of which only creates are watched. */
const newKinds: readonly unknown[] = [
  jobEntity.kind,
  triggerEventEntity.kind,
  channelEventEntity.kind,
];

/** The stream of a table, as far as the API suite needs its effects. */
export interface Stream {
  readonly hear: (images: Images) => void;
  /** Resolves when all received changes are delivered. @returns whether there were any */
  idle(): Promise<boolean>;
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
      const isBusy = pumping !== undefined;
      while (pumping !== undefined) await pumping;
      return isBusy;
    },
  };
}

/** Checks the filters of the event sources. */
function isWatched({ before, after }: Images): boolean {
  const kind = (after ?? before)[tableAttributes.kind]?.S;
  if (after === undefined) return kind === scriptEntity.kind || kind === classEntity.kind;
  const isByCall = /^(client|cascade)/.test(after[tableAttributes.change].S);
  if (!isByCall) return false;
  return kind === scriptEntity.kind || (before === undefined && newKinds.includes(kind));
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
