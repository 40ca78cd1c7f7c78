import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../runtime/clock.ts';
import type { CollectionSpec } from '../../store/port.ts';

export interface Subject {
  insert(row: BenchRow): Promise<void> | void;
  find(id: string): Promise<BenchRow | null> | BenchRow | null;
  claim(id: string, epoch: number): Promise<boolean> | boolean;
  settle(): void;
  close(): Promise<void> | void;
}

export interface BenchRow {
  readonly _id: string;
  readonly session: string;
  readonly netId: string;
  readonly status: string;
  readonly lane: number;
  readonly epoch: number;
  readonly attempts: number;
  readonly createdAt: number;
  readonly body: string;
}

export const benchSpec: CollectionSpec = {
  name: 'rows',
  indexes: [
    { name: 'net', keys: { session: 1, netId: 1 }, unique: true },
    { name: 'log', keys: { session: 1, createdAt: -1, _id: -1 } },
    { name: 'queue', keys: { session: 1, lane: 1, _id: 1 }, where: { status: 'queued' } },
    { name: 'on_the_wire', keys: { session: 1, _id: 1 }, where: { status: 'sending' } },
  ],
};

const CONCURRENT = 50;

const rowOf = (i: number): BenchRow => ({
  _id: `msg_01JD${String(i).padStart(22, '0')}`,
  session: `ses_${i % 40}`,
  netId: `3EB0${((i * 2_654_435_761) >>> 0).toString(16).padStart(16, '0')}`,
  status: 'queued',
  lane: i % 3,
  epoch: 7,
  attempts: 0,
  createdAt: 1_760_000_000_000 + i,
  body: 'x'.repeat(400),
});

export async function measure(open: (path: string) => Subject): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'bench-'));
  const subject = open(join(directory, 'store.db'));
  const rows = Array.from({ length: process.argv.includes('--quick') ? 5_000 : 40_000 }, (_, i) => rowOf(i));
  const insert = await timed(rows, subject, (row) => subject.insert(row));
  const find = await timed(rows, subject, (row) => subject.find(row._id));
  const claim = await timed(rows, subject, (row) => subject.claim(row._id, row.epoch));
  await subject.close();
  rmSync(directory, { recursive: true });
  const { perSecond, cpu, loopCpu } = insert;
  const updates = { claimCpu: claim.cpu, claimLoopCpu: claim.loopCpu };
  console.log(JSON.stringify({ insertsPerSecond: perSecond, insertCpu: cpu, insertLoopCpu: loopCpu, findCpu: find.cpu, ...updates }));
}

interface Cost {
  readonly perSecond: number;
  readonly cpu: number;
  /** Covers only the event-loop thread; `cpu` covers the whole process. Both are in µs per operation. */
  readonly loopCpu: number;
}

async function timed(rows: readonly BenchRow[], subject: Subject, run: (row: BenchRow) => unknown): Promise<Cost> {
  const startedAt = systemClock.monotonic();
  const before = process.cpuUsage();
  const loopBefore = process.threadCpuUsage();
  for (let i = 0; i < rows.length; i += CONCURRENT) {
    const group = rows.slice(i, i + CONCURRENT).map(run);
    subject.settle();
    const results = await Promise.all(group);
    if (results.includes(false) || results.includes(null)) throw new Error('an operation found nothing');
  }
  const perRow = ({ user, system }: NodeJS.CpuUsage) => (user + system) / rows.length;
  const perSecond = (rows.length / (systemClock.monotonic() - startedAt)) * 1_000;
  return { perSecond, cpu: perRow(process.cpuUsage(before)), loopCpu: perRow(process.threadCpuUsage(loopBefore)) };
}
