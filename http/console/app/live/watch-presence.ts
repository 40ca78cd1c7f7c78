import { waitBefore } from './backoff.ts';
import { readStream } from './browser.ts';
import type { LiveEvent } from './types.ts';

/**
 * Reads who writes, on a stream of its own, until it is stopped: devices whose account is shown online by itself are online while such a stream is open,
 * and their phones are silent. So it runs only while somebody looks at a chat. What is missed between two tries is not read again.
 */
export function watchPresence(onEvent: (event: LiveEvent) => void): () => void {
  const over = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const run = async (tries: number): Promise<void> => {
    let next = tries + 1;
    const onOpen = (): void => {
      next = 0;
    };
    await readStream(['chat.presence'], { onOpen, onSign: () => {}, onEvent }, over.signal).catch(() => {});
    if (!over.signal.aborted) timer = setTimeout(() => void run(next), waitBefore(next, Math.random()));
  };
  void run(0);
  return () => {
    over.abort();
    clearTimeout(timer);
  };
}
