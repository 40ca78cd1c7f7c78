/**
 * Runs child processes. All code that reads an untrusted file runs in a child process.
 *
 * A child has an empty environment, only its own descriptors, and limits on time, CPU, memory and
 * files. Where the host allows it, the child has no network and sees neither other processes nor
 * the gateway's data. Each child serves one owner. All children of an owner share an hourly budget
 * of CPU time. A child exits when the gateway does.
 */

import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../clock.ts';
import type { Host } from './confine.ts';
import { CpuBudget } from './cpu-budget.ts';
import { hostOnce, type Isolation, isolationOf } from './host.ts';
import { type Bytes, openJobFolders, type Staged } from './job-folders.ts';
import { createNodeJobs, type NodeJobs, type NodeJobsOptions, type Shared } from './node-jobs.ts';
import { type ProgramJob, runProgram } from './programs.ts';
import type { WatchedProcess } from './watched-process.ts';

export interface ChildProcesses {
  jobs(options: NodeJobsOptions): NodeJobs;
  run<R>(owner: string, job: ProgramJob<R>): Promise<R>;
  stage(source: Bytes): Promise<Staged>;
  expectTime(owner: string): void;
  isolation(): Promise<Isolation>;
  close(): Promise<void>;
}

export interface ChildProcessesOptions {
  readonly folder: string;
  readonly hidden: readonly string[];
  readonly cpuMsAnHour: number;
  readonly clock: Pick<Clock, 'now'>;
  readonly host?: Host;
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export async function openChildProcesses({ folder, hidden, cpuMsAnHour, clock, host }: ChildProcessesOptions): Promise<ChildProcesses> {
  const folders = await openJobFolders(folder);
  const covered = [folders.path, ...(await coverable(hidden))];
  const examined = host === undefined ? () => hostOnce(covered) : () => Promise.resolve(host);
  const shared: Shared = { host: examined, folders, hidden: covered, budget: new CpuBudget(cpuMsAnHour, clock) };
  const kinds = new Set<NodeJobs>();
  const running = new Set<WatchedProcess>();
  return {
    jobs(options) {
      const jobs = createNodeJobs(shared, options);
      kinds.add(jobs);
      return jobs;
    },
    run: (owner, job) => runProgram(shared, owner, job, running),
    stage: folders.stage,
    expectTime: (owner) => shared.budget.expectTime(owner),
    async isolation() {
      const isolation = isolationOf(await examined());
      return covered.length > hidden.length ? isolation : { ...isolation, files: 'permissions' };
    },
    async close() {
      for (const process of running) process.kill('stopped');
      await Promise.all([...kinds].map((jobs) => jobs.close()));
      await Promise.all([...running].map(({ ended }) => ended));
      await folders.close();
    },
  };
}

/** Drops paths that contain the gateway program itself, because it must stay visible to children. */
async function coverable(paths: readonly string[]): Promise<string[]> {
  const real = await Promise.all(paths.map((path) => realpath(path).catch(() => resolve(path))));
  const needed = [ROOT, process.execPath];
  return real.filter((path) => !needed.some((one) => one.startsWith(path.endsWith('/') ? path : `${path}/`)));
}
