/**
 * Follows a job of the gateway, such as an import or a change of many contacts, until it has ended. The gateway keeps the job: whoever stops looking loses
 * nothing. Resolves with the job as it ended; rejects where the gateway cannot be asked, and when `signal` aborts.
 */

interface Job {
  readonly status: 'queued' | 'running' | 'done' | 'failed';
}

interface Following<J extends Job> {
  readonly again: (job: J) => Promise<J>;
  /** Called with each state of the job, the first one too. */
  readonly shown?: (job: J) => void;
  readonly signal?: AbortSignal;
  readonly pause?: () => Promise<void>;
}

const LOOK_MS = 500;
const shortly = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, LOOK_MS));

export async function whenEnded<J extends Job>(begun: J, { again, shown, signal, pause = shortly }: Following<J>): Promise<J> {
  let job = begun;
  for (;;) {
    signal?.throwIfAborted();
    shown?.(job);
    if (job.status === 'done' || job.status === 'failed') return job;
    await pause();
    signal?.throwIfAborted();
    job = await again(job);
  }
}
