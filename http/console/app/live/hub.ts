import { createLeader } from './leader.ts';
import { createTab, type TabListener } from './tab.ts';
import type { HubDeps } from './types.ts';

export interface Hub {
  /** The line or the machine is back, or somebody looks: tries now in place of waiting, and looks whether the stream is alive. */
  wake(): void;
  stop(): void;
}

/** A leader tells that its stream is open far more often. */
const LEADER_SILENT_MS = 90_000;
/** So long a leader has to answer before another tab takes its place. */
const ANSWER_MS = 10_000;

/**
 * One stream for all tabs of a browser: the tab that leads has it and hands on what comes. When that tab is closed or hangs, another one leads.
 * After each cut every tab first reads what it missed, and only then is live.
 */
export function startHub(deps: HubDeps, listener: TabListener): Hub {
  const here = createTab(deps, listener);
  const leader = createLeader(deps, here);
  const watch = createLeaderWatch(deps, () => stand(true));
  let standing = new AbortController();
  let isStopped = false;

  /** Waits for its turn to lead, or takes it from a leader that hangs. */
  function stand(isSeizing: boolean): void {
    standing.abort();
    const own = new AbortController();
    standing = own;
    deps.lead(
      async (lost) => {
        watch.stop();
        await leader.lead(AbortSignal.any([own.signal, lost]));
        if (isStopped) return;
        watch.heard();
        stand(false);
      },
      own.signal,
      isSeizing,
    );
  }

  const unsubscribe = deps.onWord((word) => {
    if (word.say === 'hello') return leader.answer();
    if (leader.isLeading()) return;
    watch.heard();
    here.take(word);
  });
  watch.heard();
  deps.tell({ say: 'hello' });
  stand(false);
  return {
    wake() {
      if (leader.isLeading()) leader.wake();
      else deps.tell({ say: 'hello' });
    },
    stop() {
      isStopped = true;
      watch.stop();
      standing.abort();
      unsubscribe();
      here.stop();
    },
  };
}

/** A tab that leads may be frozen by its browser, or hang: it is asked, and replaced where it does not answer. */
function createLeaderWatch({ after, tell }: Pick<HubDeps, 'after' | 'tell'>, replace: () => void) {
  let cancel = (): void => {};
  const ask = (): void => {
    tell({ say: 'hello' });
    cancel = after(ANSWER_MS, replace);
  };
  return {
    heard() {
      cancel();
      cancel = after(LEADER_SILENT_MS, ask);
    },
    stop: () => cancel(),
  };
}
