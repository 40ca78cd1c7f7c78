import { createLeader } from './leader.ts';
import { createTab, type TabListener } from './tab.ts';
import type { HubDeps } from './types.ts';

export interface Hub {
  /** Reconnects and checks the stream. Call it when the network, the machine or the page is back. */
  wake(): void;
  stop(): void;
}

/** Silence after which a tab requests the leader's state. A leader with an open stream reports far more often. */
const LEADER_SILENT_MS = 90_000;
/** Time that the leader has to respond before another tab takes over. */
const ANSWER_MS = 10_000;

/**
 * One stream for all tabs of a browser: the leading tab reads it and forwards the events to the
 * others. When that tab closes or hangs, another one takes over. After each interruption every tab
 * first reads what it missed, and only then counts as live.
 */
export function startHub(deps: HubDeps, listener: TabListener): Hub {
  const here = createTab(deps, listener);
  const leader = createLeader(deps, here);
  const watch = createLeaderWatch(deps, () => stand(true));
  let standing = new AbortController();
  let isStopped = false;

  /** Waits to become the leader, or seizes the lead from a leader that hangs. */
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

/**
 * Requests the state of a silent leader and replaces it if it does not respond, because the browser
 * may have frozen its tab.
 */
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
