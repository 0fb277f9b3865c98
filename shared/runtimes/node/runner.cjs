'use strict';
/*
 * The runner: a process that evaluates one script repeatedly, each time in a new context. It communicates with its
 * supervisor over descriptor 3, one JSON value per line; see ../runner-process.ts. A script shares the process and can
 * break it, but affects only its own runs: the supervisor does not trust messages from here.
 */
const { chmodSync, readdirSync, rmdirSync, unlinkSync } = require('node:fs');
const net = require('node:net');
const { join } = require('node:path');
const util = require('node:util');
const { getHeapStatistics } = require('node:v8');
const vm = require('node:vm');
const { fileName, makeContext } = require('./context.cjs');
const { leaveRoot } = require('./leave-root.cjs');
const { lockDown, watchLeftovers } = require('./lockdown.cjs');
const { openClient } = require('./packages.cjs');
const { writeAll } = require('./write-all.cjs');

const control = 3;
const maxRuns = 10_000; // of one process: a new process has no leaked memory
const runsPerCheck = 50; // runs between checks for leaked memory
const maxLeakedBytes = 96 * 1024 * 1024; // a run needs the rest of the heap
const maxResponse = 4 * 1024 * 1024; // characters of JSON; longer responses are always too large

const { parse, stringify } = JSON;
const { from } = Buffer;
const { inspect } = util;
const exit = process.reallyExit.bind(process);
const emit = process.emit.bind(process);
const resources = process.getActiveResourcesInfo.bind(process);

// one buffer, which is cleared after each message: chunks of a stream took 8 % of the processor time here, on Node 20
const received = Buffer.allocUnsafeSlow(65_536);
const onread = { buffer: received, callback: receive };
const channel = new net.Socket({ fd: control, readable: true, writable: false, onread });
const keepChannel = channel.ref.bind(channel);
const freeChannel = channel.unref.bind(channel);
// biome-ignore lint/style/noProcessEnv: Lambda's Node may need it, and scripts must not see it
delete process.env.LD_LIBRARY_PATH;
// the only folder that a script may write to; the old service's client; `root` if this process is started as root
const [temporary, clientFile, user] = process.argv.splice(2);
const evaluateClient = openClient(clientFile, user === 'root');
let next = makeContext(evaluateClient);
let script; // compiled at the first run
let parts = []; // of an incomplete message
let running; // the mark of the current run
let hasLeftovers = false;
let idleResources = 0; // before a run: later versions of Node keep a standard stream
let runs = 0;

if (user === 'root') leaveRoot();
emptyFolder(temporary);
lockDown(channel, temporary);
const endKept = watchLeftovers(() => {
  hasLeftovers = true;
});
const ownListeners = new Map(
  process.eventNames().map((name) => [name, process.rawListeners(name)]),
);
Object.defineProperty(process, 'emit', { value: intercept, writable: false, configurable: false });
channel.on('end', () => exit(0)); // the supervisor has ended
channel.resume(); // for `end`
send({ __proto__: null, ready: true });

/** Starts the run of a message. @returns true, so that reading continues */
function receive(length) {
  const chunk = received.subarray(0, length);
  const end = chunk.indexOf(10);
  if (end === -1) {
    parts.push(from(chunk));
    return true;
  }
  const isWhole = parts.length === 0;
  const line = isWhole ? chunk.toString('utf8', 0, end) : joinLine(chunk.subarray(0, end));
  parts = end + 1 < length ? [from(chunk.subarray(end + 1))] : [];
  received.fill(0, 0, length); // a later run must not find it
  startRun(parse(line));
  return true;
}

function joinLine(last) {
  return Buffer.concat([...parts, last]).toString();
}

function startRun({ mark, source, args, config, meta }) {
  running = mark;
  runs += 1;
  hasLeftovers = false;
  freeChannel();
  idleResources = resources().length;
  try {
    script ??= new vm.Script(source, {
      filename: fileName,
      importModuleDynamically: vm.constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
    next.setInput({ args, config, meta });
    script.runInContext(next.context);
  } catch (error) {
    fail(error);
  }
}

/** Handles events of the process before any listener, so a script cannot prevent the end of its run. */
function intercept(name, ...values) {
  if (running === undefined) return emit(name, ...values);
  switch (name) {
    case 'beforeExit':
      return endWhenIdle(...values);
    case 'exit':
      emit(name, ...values);
      return end(process.exitCode ?? values[0], false);
    case 'uncaughtException':
      return emit(name, ...values) || fail(values[0]);
    default:
      return emit(name, ...values);
  }
}

function endWhenIdle(code) {
  if (emit('beforeExit', code)) {
    process.removeAllListeners('beforeExit');
    if (isBusy()) return true; // a listener started more work
  }
  hasLeftovers ||= isBusy(); // a connection whose response is not read
  if (!hasLeftovers && endKept()) return true; // `beforeExit` follows when they are closed
  try {
    emit('exit', process.exitCode ?? 0);
  } catch (error) {
    fail(error);
  }
  end(process.exitCode ?? 0, !hasLeftovers && runs < maxRuns && !isFull());
  recover();
  return true;
}

/** Checks whether the run has opened something that is still referenced. */
function isBusy() {
  return resources().length > idleResources;
}

/** Checks whether earlier runs leaked too much memory, so that later runs need a new process. */
function isFull() {
  if (runs % runsPerCheck !== 0) return false;
  const { used_heap_size: heap, external_memory: external } = getHeapStatistics();
  return heap + external > maxLeakedBytes;
}

/** Prepares the next run, after the last report was sent. */
function recover() {
  for (const name of process.eventNames()) {
    const own = ownListeners.get(name) ?? [];
    for (const each of process.rawListeners(name)) if (!own.includes(each)) process.off(name, each);
  }
  process.exitCode = undefined;
  process.setUncaughtExceptionCaptureCallback(null);
  next = makeContext(evaluateClient);
  keepChannel();
}

/** Returns whether the files of the run could be deleted: they may be too deep, or in a folder that it cannot list. */
function isEmptied() {
  try {
    emptyFolder(temporary);
    return true;
  } catch {
    return false; // the supervisor deletes the folder after the end of this process
  }
}

/** Deletes the files of the last run, whatever their permissions. */
function emptyFolder(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) {
      unlinkSync(path);
      continue;
    }
    chmodSync(path, 0o700);
    emptyFolder(path);
    rmdirSync(path);
  }
}

/** Ends the run, and the process, because of an uncaught error. */
function fail(error) {
  writeAll(2, from(`${describeError(error)}\n`));
  end(1, false);
  exit(1);
}

function describeError(error) {
  try {
    const isError = util.types.isNativeError(error) || error instanceof Error;
    const text = inspect(error);
    return isError ? withoutOwnFrames(text) : `Uncaught ${text}`;
  } catch {
    return 'Uncaught error that cannot be shown'; // the error's own inspection code throws
  }
}

const foreignHeader = /^(?!main\.js:).*:\d+\n.*\n *\^+\n+/; // the source line that threw, unless it is in the script
const internal = [__dirname, 'node:vm:', 'node:internal/', 'node:net:', 'node:events:'];

function withoutOwnFrames(text) {
  const kept = [];
  for (const line of text.replace(foreignHeader, '').split('\n')) {
    const isOwn = /^ +at /.test(line) && internal.some((part) => line.includes(part));
    if (!isOwn) kept.push(line);
    else if (line.endsWith(' {')) kept.push(`${kept.pop()} {`); // the properties of the error follow
  }
  return kept.join('\n');
}

/** Reports the result of the run. The report has no prototype, which a script may have modified. */
function end(code, isReusable) {
  const report = { __proto__: null, mark: running, exitCode: code, isReusable: false };
  try {
    const response = code === 0 ? next.describeResponse() : undefined;
    if (response?.length > maxResponse) report.isTooBig = true;
    else if (response !== undefined) report.response = response;
  } catch (error) {
    report.exitCode = 1; // an unreadable response
    writeAll(2, from(`${describeError(error)}\n`));
  }
  report.isReusable = isReusable && isEmptied(); // after all code of the run, and before the next can be sent
  running = undefined;
  send(report);
}

function send(message) {
  const chunk = from(`\n${stringify(message)}\n`); // on a separate line, even after an incomplete line of a script
  writeAll(control, chunk);
  chunk.fill(0); // it is in a pool that later runs share
}
