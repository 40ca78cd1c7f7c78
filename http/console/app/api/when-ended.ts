/**
 * Polls one of the gateway's jobs, such as an import or a change to many contacts, until it ends.
 * The gateway keeps the job, so nothing is lost when polling stops. Resolves with the ended job.
 * Rejects if a request fails or `signal` aborts.
 */

interface Job {
  readonly status: 'queued' | 'running' | 'done' | 'failed';
}

interface Following<J extends Job> {
  readonly again: (job: J) => Promise<J>;
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
