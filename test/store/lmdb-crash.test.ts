import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Acknowledged, expectStore, writeUntilKilled } from './crash.ts';

describe('a store whose process is killed under load', () => {
  it('has all acknowledged writes, no partial transactions, consistent indexes, and increasing counters', async () => {
    const path = mkdtempSync(join(tmpdir(), 'groundwork-crash-'));
    const acknowledged: Acknowledged[] = [];

    for (const [round, delayMs] of [30, 110, 5, 190].entries()) {
      const lines = await writeUntilKilled(path, { round, delayMs });
      expect(lines.length).toBeGreaterThan(0);
      acknowledged.push(...lines);
      await expectStore(path, acknowledged);
    }

    rmSync(path, { recursive: true });
    const numbers = new Map(acknowledged.map(({ number, sk }) => [number, sk]));
    const items = new Set(acknowledged.map(({ sk }) => sk));
    expect(numbers.size).toBe(items.size); // no number was assigned to two items
  }, 300_000);
});
