import { createLeader } from './leader.ts';
import { createTab, type TabListener } from './tab.ts';
import type { HubDeps } from './types.ts';

export interface Hub {
  wake(): void;
  stop(): void;
}

/** A leader with an open stream reports much more often than this. */
const LEADER_SILENT_MS = 90_000;
const ANSWER_MS = 10_000;

/** After an interruption, a tab is shown as live only once it has read the events that it missed. */
export function startHub(deps: HubDeps, listener: TabListener): Hub {
  const here = createTab(deps, listener);
  const leader = createLeader(deps, here);
  const watch = createLeaderWatch(deps, () => stand(true));
  let standing = new AbortController();
  let isStopped = false;

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

/** Replaces a leader that has gone silent, because the browser may have frozen its tab. */
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
