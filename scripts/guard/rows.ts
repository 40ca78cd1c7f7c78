import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { RowFacts } from '../../http/core/engine.ts';
import { readConfig } from '../wiring/config.ts';
import { startNode } from '../wiring/node.ts';

export async function servedRows(): Promise<readonly RowFacts[]> {
  const directory = mkdtempSync(join(tmpdir(), 'rows-'));
  try {
    const config = { ...readConfig({}, join(directory, 'none')), port: 0, data_dir: directory };
    const node = await startNode(config, { log: pino({ level: 'silent' }) });
    const { rows } = node.http;
    await node.stop();
    return rows.filter(({ path }) => !path.startsWith('/sandbox/'));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
