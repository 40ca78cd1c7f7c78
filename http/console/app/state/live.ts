import { effect, signal } from '@preact/signals';
import { ApiError } from '../api/request.ts';
import { browserDeps } from '../live/browser.ts';
import { type Hub, startHub } from '../live/hub.ts';
import type { LiveEvent } from '../live/types.ts';
import { lookForNewBuild } from './build.ts';
import { flushOutbox } from './outbox.ts';
import { person } from './session.ts';

export type { LiveEvent } from '../live/types.ts';

/** Is all that happens shown? */
export const liveState = signal<'live' | 'offline'>('offline');
/** It was live, or tried for a while, and is not: the banner says so. */
export const wasCut = signal(false);

type Listener = (event: LiveEvent) => void;
type Reader = () => Promise<unknown>;

const listeners = new Set<Listener>();
const readers = new Set<Reader>();

/** Calls `receive` with each event from now on. Call what it gives to stop. */
export function onLiveEvent(receive: Listener): () => void {
  listeners.add(receive);
  return () => listeners.delete(receive);
}

/**
 * Calls `read` each time the stream was opened, before the console says that it is live: it reads what is shown again, because what happened
 * meanwhile is told nowhere else (events that somebody names are recorded only while a stream names them). Where `read` rejects, it is not live
 * yet, and all are called again. Call what it gives to stop.
 */
export function onResync(read: Reader): () => void {
  readers.add(read);
  return () => readers.delete(read);
}

/** So long after its start without a stream, that is worth a word. */
const PATIENCE_MS = 4_000;

/** So long the readers wait for what is sent first. */
const FLUSH_MS = 5_000;

/** A send whose answer was lost is repeated first: what is read afterwards would have its message, and the page would show it twice. */
async function resync(): Promise<void> {
  void lookForNewBuild();
  await Promise.race([flushOutbox(), new Promise((resolve) => setTimeout(resolve, FLUSH_MS))]);
  const results = await Promise.allSettled([...readers].map(readOrLater));
  const failed = results.find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
}

/** So long who was told to come again waits where nobody says how long. */
const COME_AGAIN_MS = 5_000;

/** What is read too often is read later: the stream is there all the same. */
async function readOrLater(read: Reader): Promise<void> {
  try {
    await read();
  } catch (cause) {
    if (!(cause instanceof ApiError) || cause.status !== 429) throw cause;
    setTimeout(() => readers.has(read) && readOrLater(read).catch(() => {}), cause.retryAfterMs ?? COME_AGAIN_MS);
  }
}

let hub: Hub | null = null;

/** Keeps one stream for all tabs of this browser, while somebody is signed in. */
export function keepLive(): void {
  effect(() => {
    const who = person.value;
    hub?.stop();
    hub = null;
    wasCut.value = false;
    if (!who) return;
    const waiting = setTimeout(() => {
      if (liveState.peek() === 'offline') wasCut.value = true;
    }, PATIENCE_MS);
    hub = startHub(browserDeps(`${who.tenant_id}:${who.agent_id}`), {
      onEvent(event) {
        for (const receive of [...listeners]) receive(event);
      },
      onOpen: resync,
      onLive() {
        clearTimeout(waiting);
        liveState.value = 'live';
        wasCut.value = false;
      },
      onOffline() {
        if (liveState.peek() === 'live') wasCut.value = true;
        liveState.value = 'offline';
      },
    });
  });
  const wake = (): void => hub?.wake();
  // A machine that slept does not always tell that it is online again.
  for (const type of ['online', 'pageshow', 'focus']) addEventListener(type, wake);
  document.addEventListener('visibilitychange', () => document.hidden || wake());
}
