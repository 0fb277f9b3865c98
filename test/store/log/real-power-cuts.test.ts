import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createRandom } from '../../city/random.ts';
import { type Acknowledged, expectStore, writeUntilKilled } from '../crash.ts';

/*
 * A file system of its own that drops what was not flushed, as a power cut does: ext4 on a loop device, stopped at once
 * and without its journal's last part. Needs root, loop devices and Python for the system call; else it is skipped.
 * More by hand: `TEST_POWER_CUTS=200 npx vitest run test/store/log`.
 */

const cuts = Number(process.env.TEST_POWER_CUTS ?? 5);
const stopNow =
  'import fcntl,os,struct,sys\nfcntl.ioctl(os.open(sys.argv[1],0),0x8004587d,struct.pack("I",2))';

interface Device {
  readonly mountPoint: string;
  mount(): void;
  unmount(): void;
  /** Stops the file system; what was not flushed is lost. */
  cutPower(): void;
}

function createDevice(folder: string): Device {
  const [image, mountPoint] = [join(folder, 'image'), join(folder, 'mounted')];
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  run('truncate', '-s', '256M', image);
  run('mkfs.ext4', '-q', image);
  mkdirSync(mountPoint);
  return {
    mountPoint,
    mount: () => run('mount', '-o', 'loop', image, mountPoint),
    unmount: () => run('umount', mountPoint),
    cutPower: () => run('python3', '-c', stopNow, mountPoint),
  };
}

/** Returns a device that was cut once, or the reason why there is none. */
function openDevice(folder: string): Device | string {
  try {
    const device = createDevice(folder);
    device.mount();
    device.cutPower();
    device.unmount();
    return device;
  } catch (error) {
    return `power cuts need root, loop devices and Python: ${error}`;
  }
}

test('acknowledged writes are there after the power was cut, in whole transactions', async ({
  skip,
}) => {
  const folder = mkdtempSync(join(tmpdir(), 'groundwork-power-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const device = openDevice(folder);
  if (typeof device === 'string') return skip(device);
  const path = join(device.mountPoint, 'store');
  const random = createRandom(7);
  const acknowledged: Acknowledged[] = [];

  for (let round = 0; round < cuts; round += 1) {
    device.mount();
    try {
      if (round > 0) await expectStore(path, acknowledged);
      const delayMs = random.integer(1, 400);
      const end = { round, delayMs, before: device.cutPower };
      acknowledged.push(...(await writeUntilKilled(path, end)));
    } finally {
      device.unmount();
    }
  }

  device.mount();
  await expectStore(path, acknowledged).finally(device.unmount);
  expect(acknowledged.length).toBeGreaterThan(0);
}, 3_600_000);
