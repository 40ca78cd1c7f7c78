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

/**
 * The one runner for child processes: whatever reads a file from outside runs in one of them.
 *
 * A child has an empty environment, no descriptor but its own, limits of time, processor, memory and files, and on
 * hosts that allow it neither a network nor a sight of other processes and of the gateway's data. It meets one
 * owner, whose children together have so much processor time an hour. It dies with the gateway.
 */
export interface ChildProcesses {
  /** Jobs of a module of ours. */
  jobs(options: NodeJobsOptions): NodeJobs;
  /** One run of another program. See `runProgram`. */
  run<R>(owner: string, job: ProgramJob<R>): Promise<R>;
  /** Writes the input of a job, which is removed by who staged it. Rejects as `source` does. */
  stage(source: Bytes): Promise<Staged>;
  /** Throws TimeSpent where the owner has used up the processor time of its hour. */
  expectTime(owner: string): void;
  /** How children are confined here. */
  isolation(): Promise<Isolation>;
  /** Ends all of them. */
  close(): Promise<void>;
}

export interface ChildProcessesOptions {
  /** A folder of this node alone, for the folders of jobs. */
  readonly folder: string;
  /** Folders and files that no child may see, beside that one. */
  readonly hidden: readonly string[];
  /** Processor time of an owner within an hour. */
  readonly cpuMsAnHour: number;
  readonly clock: Pick<Clock, 'now'>;
  /** What the host gives. Default: it is tried out, once. */
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

/** Real paths. Where the program itself lies in one of them, that one stays to be seen. */
async function coverable(paths: readonly string[]): Promise<string[]> {
  const real = await Promise.all(paths.map((path) => realpath(path).catch(() => resolve(path))));
  const needed = [ROOT, process.execPath];
  return real.filter((path) => !needed.some((one) => one.startsWith(path.endsWith('/') ? path : `${path}/`)));
}
