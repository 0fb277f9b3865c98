'use strict';
/*
 * The launcher: a process that starts the processes which run foreign code, for the server. It is started before the
 * server opens its store, secrets and sockets, so children cannot inherit anything of the server, and starting a child
 * does not copy the page tables of a large process. The server's side is launcher.ts.
 *
 *   server    {"type": "start", "id", "program", "args", "variables", "folder"}
 *             {"type": "kill", "id"}
 *             {"type": "watch", "id", "limits": {"residentBytes"?, "folder"?, "folderBytes"?}}, {"type": "unwatch", "id"}
 *             {"type": "limit", "bytes"}
 *             {"type": "remove", "folders"}, of runs, when the server has ended
 *   launcher  {"type": "started", "id", "pid"}, then {"type": "socket", "id", "index"} for descriptors 1 to 3, each with
 *             its socket
 *             {"type": "exceeded", "id", "limit"}, {"type": "lowered", "id"}: see watch.cjs
 *             {"type": "ended", "id", "exitCode", "signal"?, "reason"?}
 *
 * Standard input is a pipe without a writer: it closes when the server has ended, however it did.
 *
 * Every child leads its own process group, and ends with the whole group. All children end with the server.
 */
const { spawn } = require('node:child_process');
const { closeSync, existsSync, readdirSync, readFileSync, writeFileSync } = require('node:fs');
const { basename, isAbsolute } = require('node:path');
const { removeFolder } = require('./remove-folder.cjs');
const { openWatches } = require('./watch.cjs');

const scoreFile = '/proc/self/oom_score_adj';
const childScore = '1000'; // when memory runs out, the system ends these processes first
const closeOnExec = 0o2000000;
const removalMs = 30_000; // of all folders at the end; the next start of the server deletes the rest

/** Process groups by the id that the server assigned. */
const groups = new Map();
let left = []; // folders that the server could not delete before its end
const watches = openWatches({ groups, tell, kill });

closeInherited();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {}); // the server decides
process.on('message', receive);
process.on('disconnect', end);
process.stdin.on('close', end).resume(); // `disconnect` waits until all sockets have arrived, which may never happen

function receive(message) {
  const { type, id } = message;
  if (type === 'start') start(message);
  else if (type === 'kill') kill(id);
  else if (type === 'unwatch') watches.remove(id);
  else if (type === 'limit') watches.limit(message.bytes);
  else if (type === 'remove') left = message.folders.filter(isRunFolder);
  else if (type === 'watch' && groups.has(id)) {
    watches.add({ id, pid: groups.get(id).pid, ...message.limits });
  }
}

function start({ id, program, args, variables, folder }) {
  let child;
  try {
    child = spawnLast(program, args, {
      cwd: folder,
      env: variables,
      detached: true, // a separate group
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
  } catch (error) {
    return tell({ type: 'ended', id, exitCode: null, reason: error.message });
  }
  child.on('error', (error) => {
    if (child.pid === undefined) {
      tell({ type: 'ended', id, exitCode: null, reason: error.message });
    }
  });
  if (child.pid === undefined) return;
  groups.set(id, { pid: child.pid, folders: [folder, ...args].filter(isRunFolder) });
  tell({ type: 'started', id, pid: child.pid });
  const sockets = child.stdio.slice(1);
  for (const socket of sockets) {
    socket._handle.readStop(); // all output is for the server to read
    socket.on('error', () => {}); // the process has ended: `exit` follows
  }
  for (const [at, socket] of sockets.entries()) tell({ type: 'socket', id, index: at + 1 }, socket);
  child.once('exit', (exitCode, signal) => {
    kill(id); // remaining processes of its group
    groups.delete(id);
    watches.end(id);
    tell({ type: 'ended', id, exitCode, signal });
  });
}

/** Starts a process that the system ends before others when memory runs out. */
function spawnLast(program, args, options) {
  const own = setScore(childScore);
  try {
    return spawn(program, args, options);
  } finally {
    if (own !== undefined) setScore(own);
  }
}

/** Sets the OOM score and returns the previous one; undefined where there is none (not Linux, or not allowed). */
function setScore(score) {
  try {
    const before = readFileSync(scoreFile, 'utf8');
    writeFileSync(scoreFile, score);
    return before;
  } catch {
    return undefined;
  }
}

function kill(id) {
  const group = groups.get(id);
  if (group === undefined) return;
  try {
    process.kill(-group.pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') report(`process group ${group.pid} could not be killed`, error);
  }
}

/** Reports an error to the operator, on the server's standard error. It must not end this process. */
function report(what, { message }) {
  process.stderr.write(`groundwork: ${what}: ${message}\n`);
}

function tell(message, socket) {
  if (process.connected) process.send(message, socket, () => {}); // an error: the server has gone, see `end`
}

/** Checks for the folder of a run: that of a runner, or one that remove-folder.cjs deletes. */
function isRunFolder(text) {
  return isAbsolute(text) && /^groundwork-script-[\w-]+$/.test(basename(text));
}

/** Ends everything that runs for the server when it has ended, for any reason. */
function end() {
  for (const id of groups.keys()) kill(id); // all of them, before a deletion fails or takes long
  const deadlineMs = Date.now() + removalMs;
  const folders = new Set([...left, ...[...groups.values()].flatMap((group) => group.folders)]);
  for (const folder of folders) {
    try {
      removeFolder(folder, deadlineMs);
    } catch (error) {
      if (existsSync(folder)) report(`${folder} could not be deleted`, error); // else by the server
    }
  }
  process.exit();
}

/** Closes descriptors that the starter of the server left open for child processes. */
function closeInherited() {
  const folder = '/proc/self/fdinfo';
  let names;
  try {
    names = readdirSync(folder);
  } catch {
    return; // not Linux: Node itself has closed the lower ones
  }
  for (const name of names.filter((each) => Number(each) > 2)) {
    try {
      const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`${folder}/${name}`, 'utf8'));
      if (flags !== null && (Number.parseInt(flags[1], 8) & closeOnExec) === 0) {
        closeSync(Number(name));
      }
    } catch {
      // the one that listed the folder
    }
  }
}
