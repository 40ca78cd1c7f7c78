import '../../../network-peer/silent-logger.ts';
import { settle, VirtualClock } from '../../../../runtime/testing/virtual-clock.ts';
import { watchGrammar } from '../../../network-peer/grammar/watch.ts';
import { type Peer, type PeerOptions, startPeer } from '../../../network-peer/peer.ts';
import type { Scope } from '../../../support/stores.ts';

const reallyLater = setTimeout;

/** What takes real time: sockets, the store, and the keys of two sides. */
export const moment = (): Promise<void> => new Promise((resolve) => reallyLater(resolve, 3));

export interface PeerInTime {
  readonly clock: VirtualClock;
  readonly peer: Peer;
  /** Time stands still while this is so. */
  waitWhile(isBusy: () => boolean): void;
}

/**
 * A peer, and all time in the test's hands: the peer's, the driver's, and that of the timers that the library sets itself. None passes while the two
 * talk: on a busy machine an answer takes longer than a moment, and would come after what waits for it gave up.
 */
export async function aPeerInTime(scope: Scope, options: PeerOptions = {}): Promise<PeerInTime> {
  let isBusy = (): boolean => false;
  let said = (): number => 0;
  const untilSilent = async (): Promise<void> => {
    let before: number;
    do {
      before = said();
      await moment();
      await settle();
    } while (isBusy() || said() !== before);
  };
  const clock = new VirtualClock(Date.now(), untilSilent);
  timersOf(scope, clock);
  const peer = await startPeer({ grammar: watchGrammar(), ...options, clock });
  said = () => peer.journal.count;
  scope.after(() => peer.stop());
  return {
    clock,
    peer,
    waitWhile(check) {
      isBusy = check;
    },
  };
}

/** The library has timers of its own: here they are the test's. */
function timersOf(scope: Scope, clock: VirtualClock): void {
  const { setTimeout, setInterval, clearTimeout, clearInterval } = globalThis;
  const cancels = new WeakMap<object, () => void>();
  const timer = (start: (handle: object) => () => void) => {
    const handle = { ref: () => handle, unref: () => handle, hasRef: () => true };
    cancels.set(handle, start(handle));
    return handle;
  };
  const repeat = (handle: object, ms: number, run: () => void): (() => void) =>
    clock.after(ms, () => {
      cancels.set(handle, repeat(handle, ms, run));
      run();
    });
  const clear = (handle: object | undefined): void => handle && cancels.get(handle)?.();
  Object.assign(globalThis, {
    setTimeout: (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => timer(() => clock.after(ms, () => run(...args))),
    setInterval: (run: () => void, ms: number) => timer((handle) => repeat(handle, ms, run)),
    clearTimeout: clear,
    clearInterval: clear,
  });
  scope.after(() => void Object.assign(globalThis, { setTimeout, setInterval, clearTimeout, clearInterval }));
}
