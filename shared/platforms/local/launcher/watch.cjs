'use strict';
/*
 * Watches runs from outside: memory and threads of all processes of a run, the size of its folder, whether it is
 * CPU-bound, and the memory of all runs together. It reads /proc, so it works on Linux only; elsewhere no limit is ever
 * exceeded.
 */
const { closeSync, constants, openSync, readdirSync, readFileSync, readSync } = require('node:fs');
const os = require('node:os');
const { join } = require('node:path');
const { calls } = require('./folder-calls.cjs');

const lookMs = 25;
const mostShare = 0.1; // of a core, for watching
const nearMostShare = 0.5; // while the memory is nearly used up
const newest = 0.1; // weight of the newest sample in the CPU demand of a run
const boundDemand = 0.6; // of the time; a run with more demand is CPU-bound
const mostBound = 2 * os.cpus().length; // CPU-bound runs that keep their priority
const lowest = 19;
const mostFiles = 10_000;
const mapBytes = Buffer.alloc(2 ** 20); // about 10,000 mappings: a script may have 250 MB, which take seconds to read
const memoryLines = /^Vm(?:RSS|PTE|Swap):\s*(\d+) kB/gm;
const ownMemoryLines = /^(?:RssAnon|RssShmem|VmPTE|VmSwap):\s*(\d+) kB/gm; // without files, which all share
const nearLookMs = 5; // a run can allocate 2 MB in each millisecond
const nearShare = 0.5; // of the memory of all runs
const unknownBytes = 16 * 2 ** 20; // of a process that has had short runs only, mostly 7 MB
const goneCodes = ['ENOENT', 'ENOTDIR', 'ESRCH']; // a file or process that has ended since it was listed
const pathOnly = 0o10000000; // O_PATH of Linux, which Node does not export: needs no permission for the folder itself
const modeBits = 0o7777;
const ownerMode = 0o700;

/**
 * Opens the watches of all runs.
 *
 * @param groups all processes by their ids
 * @param tell   sends a message to the server
 * @param kill   ends a run by its id
 */
exports.openWatches = ({ groups, tell, kill }) => {
  const watches = new Map(); // in the order of their starts
  const sizes = new Map(); // memory of processes that have been watched; it does not change between runs
  let mostBytes = Infinity;
  let isLooking = false;

  const exceed = (id, limit) => {
    watches.delete(id);
    sizes.set(id, 0); // it gives its memory back now, so that no other has to end for it
    kill(id);
    tell({ type: 'exceeded', id, limit });
  };

  const look = () => {
    const before = process.cpuUsage();
    for (const watch of [...watches.values()]) {
      const { processes, threads } = family(watch.pid);
      const limit = exceededLimit(watch, processes, threads);
      sizes.set(watch.id, sum(processes.map(ownMemoryOf)) + memoryFilesOf(processes));
      if (limit !== undefined) exceed(watch.id, limit);
      else judgeDemand(watch, processes);
    }
    const bytes = sum([...groups.keys()].map((id) => sizes.get(id) ?? unknownBytes));
    if (bytes > mostBytes) {
      const largest = largestOf([...watches.keys()], sizes);
      if (largest !== undefined) exceed(largest, 'total memory');
    }
    for (const watch of lowerPriorities(watches)) tell({ type: 'lowered', id: watch.id });
    isLooking = watches.size > 0;
    if (isLooking)
      setTimeout(look, pauseAfter(process.cpuUsage(before), bytes > mostBytes * nearShare));
  };
  return {
    add: (watch) => {
      watches.set(watch.id, { ...watch, demand: 0, isLowered: false, isMeasured: true });
      if (isLooking) return;
      isLooking = true;
      setTimeout(look, 0);
    },
    remove: (id) => watches.delete(id),
    end: (id) => {
      watches.delete(id);
      sizes.delete(id);
    },
    limit: (bytes) => {
      mostBytes = bytes;
    },
  };
};

/** Returns the pause by the processor time of a look: its duration is also long when it waited for a core. */
function pauseAfter({ user, system }, isNear) {
  const usedMs = (user + system) / 1000;
  return isNear
    ? Math.max(nearLookMs, usedMs / nearMostShare)
    : Math.max(lookMs, usedMs / mostShare);
}

function largestOf(ids, sizes) {
  const sizeOf = (id) => sizes.get(id) ?? 0;
  return ids.reduce((a, b) => (a === undefined || sizeOf(b) > sizeOf(a) ? b : a), undefined);
}

function exceededLimit(watch, processes, threads) {
  const { residentBytes, maxThreads, folder, folderBytes, isMeasured } = watch;
  if (residentBytes !== undefined && sum(processes.map(residentOf)) > residentBytes)
    return 'memory';
  if (threads.length > maxThreads) return 'threads';
  if (folderBytes === undefined) return undefined;
  const count = { files: mostFiles, isMeasured: true };
  const bytes =
    sizeOf(folder, count) + sum(processes.map((pid) => removedFilesOf(pid, folder, count)));
  watch.isMeasured = count.isMeasured; // once it may be a lack of descriptors
  return bytes > folderBytes || !(isMeasured || count.isMeasured) ? 'disk' : undefined;
}

/** Records how much of the time a run needs a processor, whether it gets one or not. */
function judgeDemand(watch, processes) {
  const demand = processes.some(isRunnable) ? 1 : 0;
  watch.demand += (demand - watch.demand) * newest;
}

/** Keeps the priority of the oldest CPU-bound runs, and lowers that of all others. */
function lowerPriorities(watches) {
  const bound = [...watches.values()].filter(({ demand }) => demand > boundDemand);
  const late = bound.slice(mostBound).filter(({ isLowered }) => !isLowered);
  for (const watch of late) {
    watch.isLowered = true;
    for (const thread of family(watch.pid).threads) lower(thread);
  }
  return late;
}

function lower(thread) {
  try {
    os.setPriority(thread, lowest);
  } catch {
    // it has ended
  }
}

/** Returns the process and all its descendants, and the threads of all of them. */
function family(pid) {
  const processes = [pid];
  const threads = [];
  for (const each of processes) {
    for (const thread of list(`/proc/${each}/task`).map(Number)) {
      threads.push(thread);
      const children = read(`/proc/${each}/task/${thread}/children`);
      processes.push(...children.split(' ').filter(Boolean).map(Number));
    }
  }
  return { processes, threads };
}

/** Returns the bytes that a process uses, with its page tables and swapped pages. */
function residentOf(pid) {
  return bytesOf(pid, memoryLines);
}

function ownMemoryOf(pid) {
  return bytesOf(pid, ownMemoryLines);
}

/** Returns the bytes of all files in the `/tmp` of a box, which is in memory. Its second process is in the box. */
function memoryFilesOf([, pid]) {
  const folder = `/proc/${pid}/root/tmp`;
  const isOwn = attempt(() => calls.stat(folder).dev !== calls.stat('/tmp').dev);
  if (!isOwn) return 0;
  const used = attempt(() => calls.statfs(folder));
  return used === undefined ? 0 : (used.blocks - used.bfree) * used.bsize;
}

function bytesOf(pid, lines) {
  const status = read(`/proc/${pid}/status`);
  return sum([...status.matchAll(lines)].map(([, kilobytes]) => Number(kilobytes) * 1024));
}

function isRunnable(pid) {
  const text = read(`/proc/${pid}/stat`);
  return text[text.lastIndexOf(')') + 2] === 'R';
}

/**
 * Returns the bytes of all files in a folder; infinite when it has more files than any script needs.
 *
 * `count.isMeasured` becomes false if a part cannot be measured, such as one below a path that is too long.
 */
function sizeOf(folder, count) {
  let bytes = 0;
  for (const name of measure(() => listOwn(folder), count) ?? []) {
    count.files -= 1;
    if (count.files < 0) return Infinity;
    const path = join(folder, name);
    const stats = measure(() => calls.lstat(path), count);
    if (stats?.isDirectory()) bytes += sizeOf(path, count);
    else bytes += sizeOnDisk(stats);
  }
  return bytes;
}

/** Lists a folder of a run. If its mode denies that, it gives its owner, this user, all permissions first. */
function listOwn(folder) {
  try {
    return calls.readdir(folder);
  } catch (error) {
    if (error.code !== 'EACCES' || process.platform !== 'linux') throw error;
  }
  const descriptor = calls.open(folder, pathOnly | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    const mode = calls.fstat(descriptor).mode & modeBits;
    calls.chmod(`/proc/self/fd/${descriptor}`, mode | ownerMode); // this folder, even if the path has changed
  } finally {
    calls.close(descriptor);
  }
  return calls.readdir(folder);
}

/**
 * Returns the bytes of files that a process has removed, and still has open. If it has one mapped only, the size is
 * unknown.
 */
function removedFilesOf(pid, folder, count) {
  const descriptors = `/proc/${pid}/fd`;
  const names = measureOpen(() => calls.readdir(descriptors), count) ?? [];
  const open = names.map((name) => measureOpen(() => calls.stat(join(descriptors, name)), count));
  const removed = open.filter((each) => each?.isFile() && each.nlink === 0);
  const files = new Set(removed.map(({ ino }) => String(ino)));
  const isAllOpen = removedMappingsOf(pid, folder, count)?.every((ino) => files.has(ino));
  if (!isAllOpen) count.isMeasured = false;
  return sum(removed.map(sizeOnDisk));
}

/** Returns the numbers of the removed files of a folder that a process has mapped; undefined if it maps too much. */
function removedMappingsOf(pid, folder, count) {
  const maps = measureOpen(() => readUpTo(`/proc/${pid}/maps`, mapBytes), count) ?? '';
  if (maps.length === mapBytes.length) return undefined;
  if (!maps.includes(' (deleted)')) return [];
  const lines = maps.split('\n').filter((line) => line.endsWith(' (deleted)'));
  return lines.filter((line) => line.includes(` ${folder}/`)).map((line) => line.split(/ +/)[4]);
}

function sizeOnDisk(stats) {
  return stats === undefined ? 0 : stats.blocks * 512;
}

/** Reads the beginning of a file, as much as fits into these bytes. */
function readUpTo(path, bytes) {
  const file = openSync(path);
  try {
    let length = 0;
    for (let added = 1; added > 0 && length < bytes.length; length += added) {
      added = readSync(file, bytes, length, bytes.length - length, null);
    }
    return bytes.latin1Slice(0, length);
  } finally {
    closeSync(file);
  }
}

function read(path) {
  return attempt(() => readFileSync(path, 'latin1'))?.trim() ?? '';
}

function list(folder) {
  return attempt(() => readdirSync(folder)) ?? [];
}

/** Returns the result of `look`; undefined for a file that was deleted during it, and for what cannot be measured. */
function measure(look, count) {
  try {
    return look();
  } catch (error) {
    if (!goneCodes.includes(error.code)) count.isMeasured = false;
    return undefined;
  }
}

/**
 * Does the same for descriptors, where a denial counts for nothing: the runner of Python, which deletes no files of
 * runs, hides its own, and so does a process that ends. A script cannot hide them (`run_rules` in seccomp.py).
 */
function measureOpen(look, count) {
  return measure(() => {
    try {
      return look();
    } catch (error) {
      if (error.code !== 'EACCES' && error.code !== 'EPERM') throw error;
      return undefined;
    }
  }, count);
}

/** Returns the result of `look`; undefined for a process or file that ends during it. */
function attempt(look) {
  try {
    return look();
  } catch {
    return undefined;
  }
}

function sum(numbers) {
  return numbers.reduce((total, each) => total + each, 0);
}
