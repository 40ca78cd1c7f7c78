import { type Cancel, systemClock } from '../clock.ts';
import type { Host } from './confine.ts';
import type { CpuBudget } from './cpu-budget.ts';
import type { JobFolder, JobFolders, Staged } from './job-folders.ts';
import { NodeChild, type NodeProgram } from './node-child.ts';
import { ResultFile } from './result-file.ts';
import { ChildEnded, cannotStart } from './watched-process.ts';

export interface NodeJob<R> {
  readonly input: Staged;
  readonly order: unknown;
  /** Called before the child sees the input. If it rejects, the job does not run. */
  before?(): Promise<void>;
  onProgress?(progress: number): void;
  result(file: ResultFile): Promise<R>;
}

/** Each job runs in a child that has not served any other owner. */
export interface NodeJobs {
  /** Rejects with OVERLOADED, TimeSpent, ChildEnded, or the error of `before` or `result`. */
  run<R>(owner: string, job: NodeJob<R>): Promise<R>;
  close(): Promise<void>;
}

export interface NodeJobsOptions extends NodeProgram {
  /** How long in ms a child is kept for its owner's next job. If absent, each child runs one job. */
  readonly keptMs?: number;
}

export interface Shared {
  readonly host: () => Promise<Host>;
  readonly folders: JobFolders;
  readonly hidden: readonly string[];
  readonly budget: CpuBudget;
}

const MB = 1_048_576;
const MAX_LINE = MB;
const WORN = 0.5;

interface Place {
  readonly owner: string;
  readonly folder: JobFolder;
  child: NodeChild | null;
  cancel: Cancel;
}

export function createNodeJobs(shared: Shared, { keptMs = 0, ...program }: NodeJobsOptions): NodeJobs {
  const { folders, hidden, budget } = shared;
  const { limits } = program;
  const places = new Set<Place>();
  let kept: Place | null = null;
  let isClosed = false;

  async function end(place: Place): Promise<void> {
    place.cancel();
    if (kept === place) kept = null;
    await (place.child ? place.child.end() : place.folder.remove());
    places.delete(place);
  }

  async function placeFor(owner: string): Promise<Place> {
    const before = kept;
    kept = null;
    before?.cancel();
    if (before?.owner === owner && before.child?.process.hasEnded === false) return before;
    if (before) await end(before);
    const place: Place = { owner, folder: await folders.make(), child: null, cancel: () => {} };
    places.add(place);
    return place;
  }

  async function keep(place: Place): Promise<void> {
    if (isClosed || keptMs === 0 || kept || isWorn(place.child)) return end(place);
    kept = place;
    place.cancel = systemClock.after(keptMs, () => void end(place));
  }

  function isWorn(child: NodeChild | null): boolean {
    if (!child || child.process.hasEnded) return true;
    const { cpuSeconds, memoryMb } = limits;
    return child.process.cpuMs() > cpuSeconds * 1_000 * WORN || child.process.memoryBytes > memoryMb * MB * WORN;
  }

  async function started(place: Place): Promise<NodeChild> {
    place.child ??= await NodeChild.start(await shared.host().catch(refused), program, place.folder, hidden);
    return place.child;
  }

  async function done<R>(place: Place, { input, order, before, onProgress = () => {}, result }: NodeJob<R>): Promise<R> {
    const job = await place.folder.next();
    try {
      await job.take(input);
      const child = await started(place);
      if (isClosed) throw new ChildEnded('stopped');
      await before?.();
      await child.do(job, order, onProgress);
      const file = await job.result(limits.resultMb * MB);
      if (!file) throw new ChildEnded('output');
      const left = new ResultFile(file, MAX_LINE);
      try {
        return await result(left);
      } finally {
        await left.close();
      }
    } finally {
      await job.remove();
    }
  }

  return {
    async run(owner, job) {
      budget.expectTime(owner);
      const place = await placeFor(owner).catch(refused);
      const before = place.child?.process.cpuMs() ?? 0;
      let isDone = false;
      try {
        const result = await done(place, job);
        isDone = true;
        return result;
      } finally {
        budget.spend(owner, (place.child?.process.cpuMs() ?? 0) - before);
        await (isDone ? keep(place) : end(place));
      }
    },

    async close() {
      isClosed = true;
      await Promise.all([...places].map(end));
    },
  };
}

const refused = (cause: unknown): never => {
  throw cannotStart(cause);
};
