import { waitBefore } from './backoff.ts';
import { readStream } from './browser.ts';
import type { LiveEvent } from './types.ts';

/** While this runs, devices with automatic presence appear online, so phones show no notifications. */
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
