import { setTimeout } from 'node:timers/promises';
import { InvalidArgumentError } from 'commander';
import { type AddCommand, withInstance } from '../command.ts';
import { findLogSources, formatEntry, type LogFilter, openLogReader } from '../run-logs.ts';
import { type ConnectionOptions, connectInstance } from '../settings.ts';
import type { Terminal } from '../terminal.ts';

interface LogOptions extends ConnectionOptions, LogFilter {
  readonly follow?: true;
  readonly lines: number;
}

/** Adds `logs`: prints what runs of scripts have printed. */
export const addLogs: AddCommand = (program, terminal) => {
  withInstance(program.command('logs'))
    .description('show runs of scripts, endpoints, triggers and schedules, newest last')
    .option('-f, --follow', 'wait for more runs')
    .option('-n, --lines <number>', 'how many past runs to show', readCount, 20)
    .option('--script <script>', 'only runs of this script: its label or id')
    .option('--trigger <trigger>', 'only runs of this trigger: its label or id')
    .option('--errors', 'only failed runs')
    .addHelpText('after', '\nExample:\n  groundwork logs -f --errors')
    .action((options: LogOptions) => showLogs(options, terminal()));
};

function readCount(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('a number is needed.');
  return Number(text);
}

const pauseMs = 1000;

async function showLogs(options: LogOptions, out: Terminal): Promise<void> {
  const connection = connectInstance(options);
  const reader = openLogReader(connection.send, options);
  const read = async (limit: number) =>
    reader.read(await findLogSources(connection, options), limit);
  const past = await read(options.lines);
  if (!options.follow) {
    return out.result(
      past,
      () => past.map((entry) => formatEntry(entry, out)).join('\n') || 'no runs',
    );
  }
  for (let entries = past; ; entries = await read(Number.POSITIVE_INFINITY)) {
    for (const entry of entries) out.result(entry, () => formatEntry(entry, out));
    await setTimeout(pauseMs);
  }
}
