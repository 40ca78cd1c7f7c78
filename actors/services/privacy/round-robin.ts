/** A step of one owner's work. True: there may be more. */
export type TurnStep = (owner: string, now: number) => Promise<boolean>;

/** Work of many owners that takes long, a step of each at a time. */
export interface Turns {
  /** These have work. Resolves when nobody has any more. */
  run(owners: readonly string[], now: number): Promise<void>;
}

/**
 * Whoever has work gets a step in turn, `parallel` of different owners at once: somebody with a thousand pieces keeps nobody else waiting for
 * more than a step of each of the others. A step that rejects ends its owner's turns until `run` names them again.
 */
export function takeTurns(step: TurnStep, parallel: number, failed: (cause: unknown) => void): Turns {
  const queue: string[] = [];
  /** Who waits or has a turn; true: they were named again during it. */
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
