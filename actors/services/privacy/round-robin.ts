export type TurnStep = (owner: string, now: number) => Promise<boolean>;

export interface Turns {
  run(owners: readonly string[], now: number): Promise<void>;
}

/** An owner with a thousand items delays other owners by only one step per round. */
export function takeTurns(step: TurnStep, parallel: number, failed: (cause: unknown) => void): Turns {
  const queue: string[] = [];
  /** Queued or running owners. True if an owner was added again while running. */
  const known = new Map<string, boolean>();
  const workers = new Set<Promise<void>>();
  let at = 0;

  async function turn(owner: string): Promise<void> {
    known.set(owner, false);
    const goesOn = await step(owner, at).catch((cause) => {
      failed(cause);
      return false;
    });
    if (goesOn || known.get(owner)) queue.push(owner);
    else known.delete(owner);
  }

  async function work(): Promise<void> {
    for (let owner = queue.shift(); owner !== undefined; owner = queue.shift()) await turn(owner);
  }

  function hire(): void {
    const worker: Promise<void> = work().finally(() => workers.delete(worker));
    workers.add(worker);
  }

  return {
    async run(owners, now) {
      at = Math.max(at, now);
      for (const owner of owners) {
        if (!known.has(owner)) queue.push(owner);
        known.set(owner, known.has(owner));
      }
      for (;;) {
        while (workers.size < parallel && queue.length > 0) hire();
        if (workers.size === 0) return;
        await Promise.race(workers);
      }
    },
  };
}
