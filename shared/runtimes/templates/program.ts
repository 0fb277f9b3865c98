import { Socket } from 'node:net';
import { checkTemplate, renderTemplate } from '../../domain/templates/render.ts';
import type { Value } from '../../domain/templates/values.ts';
import { readJsonLines } from '../json-lines.ts';
import type { Job, Reply } from './worker.ts';

/*
 * The program of a process of its own, which has no environment and few rights, and is ended when a template takes
 * too long or too much memory. It reads jobs from descriptor 3 and writes replies there, one JSON value a line; its
 * first message says that it is ready.
 */

const control = 3;
const maxJobBytes = 256 * 2 ** 20; // as much as a template and its variables may ever be; the server has bounds of its own

const channel = new Socket({ fd: control, readable: true, writable: true });
readJsonLines(channel, maxJobBytes, {
  onMessage: (message) => say(answer(message as Job)), // the server writes jobs only
  onFlood: () => process.exit(1),
});
channel.once('close', () => process.exit());
say({ ready: true });

function answer({ source, variables }: Job): Reply {
  return variables === undefined
    ? { ok: true, text: checkTemplate(source) }
    : renderTemplate(source, JSON.parse(variables) as Record<string, Value>); // so it was sent
}

function say(message: object): void {
  channel.write(`${JSON.stringify(message)}\n`);
}
