import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, describe, expect, it } from 'vitest';
import { openWakeUps } from '../../shared/platforms/aws/jobs/wake-ups.ts';

const client = new SQSClient({ region: 'eu-west-1' });
const sqs = mockClient(client);
afterEach(() => sqs.reset());

const queue = 'https://sqs.eu-west-1.amazonaws.com/1/wake-ups';
const now = 1_800_000_000_250;
const wakeUps = openWakeUps({ queue, client, now: () => now });
const requests = () => sqs.commandCalls(SendMessageBatchCommand).map(({ args }) => args[0].input);

describe('wake-ups', () => {
  it('are one message for each second, which arrives at its end', async () => {
    sqs.on(SendMessageBatchCommand).resolves({});

    await wakeUps([1_800_000_005_000, 1_800_000_005_001, 1_800_000_005_900, 1_800_000_000_300]);

    const entry = (second: number, DelaySeconds: number) => {
      const text = String(1_800_000_000 + second);
      return { Id: text, MessageBody: text, DelaySeconds };
    };
    expect(requests()).toEqual([
      { QueueUrl: queue, Entries: [entry(5, 5), entry(6, 6), entry(1, 1)] },
    ]);
  });

  it('are sent ten at a time, and not at all without times', async () => {
    sqs.on(SendMessageBatchCommand).resolves({});

    await wakeUps([]);
    await wakeUps(Array.from({ length: 25 }, (_, second) => now + second * 1000));

    expect(requests().map(({ Entries = [] }) => Entries.length)).toEqual([10, 10, 5]);
  });

  it('fail when the queue rejects a message', async () => {
    const Failed = [{ Id: '1', Code: 'InternalError', SenderFault: false }];
    sqs.on(SendMessageBatchCommand).resolves({ Failed });

    await expect(wakeUps([now])).rejects.toThrow('the queue rejected messages: InternalError');
  });
});
