import type { ProcessLimits } from './confine.ts';
import type { Staged } from './job-folders.ts';
import type { Shared } from './node-jobs.ts';
import { ResultFile } from './result-file.ts';
import { ChildEnded, cannotStart, WatchedProcess } from './watched-process.ts';

/** One run of another program, which reads `in` in its working directory and may write `out` there. */
export interface ProgramJob<R> {
  readonly command: string;
  readonly args: readonly string[];
  readonly limits: ProcessLimits;
  readonly input: Staged;
  result(file: ResultFile | null, output: Buffer): Promise<R>;
}

const MB = 1_048_576;

/** Rejects with OVERLOADED, TimeSpent, ChildEnded (killed or failed), or the error of `result`. */
export async function runProgram<R>(
  { host, folders, hidden, budget }: Shared,
  owner: string,
  { command, args, limits, input, result }: ProgramJob<R>,
  running: Set<WatchedProcess>,
): Promise<R> {
  if (!command.startsWith('/')) throw new TypeError(`a program is named by an absolute path, not ${command}`);
  budget.expectTime(owner);
  const folder = await folders.make().catch((cause) => Promise.reject(cannotStart(cause)));
  try {
    const job = await folder.next();
    try {
      await job.take(input);
      const process = await WatchedProcess.start(await host(), { command, args, limits, hidden, folder: job.path, speaks: 'output' });
      running.add(process);
      try {
        process.input?.end();
        const { failure, said, output } = await process.within(limits.wallMs);
        if (failure) throw new ChildEnded(failure, said);
        const file = await job.result(limits.fileMb * MB);
        const left = file && new ResultFile(file, MB);
        try {
          return await result(left, output);
        } finally {
          await left?.close();
        }
      } finally {
        running.delete(process);
        budget.spend(owner, process.cpuMs());
      }
    } finally {
      await job.remove();
    }
  } finally {
    await folder.remove();
  }
}
