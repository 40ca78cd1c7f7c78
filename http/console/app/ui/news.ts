import { useEffect, useRef } from 'preact/hooks';
import type { Resource } from '../api/resource.ts';
import { type LiveEvent, onLiveEvent, onResync } from '../state/live.ts';
import { spaced } from './spaced.ts';

interface NewsOptions {
  /** Minimum time between two loads, in ms; longer for expensive requests. */
  readonly apartMs?: number;
  /** False if the console may count as live although this reload failed, for example for figures. */
  readonly isWaitedFor?: boolean;
}

/** Value of `apartMs` for expensive requests that are triggered by every message. */
export const RARELY_MS = 5_000;

/** Reloads a resource when a relevant event arrives, the first time at once, and after the stream was interrupted. */
export function useNews(
  { reload, resync }: Pick<Resource<unknown>, 'reload' | 'resync'>,
  isNews: (event: LiveEvent) => boolean,
  { apartMs = 1_000, isWaitedFor = true }: NewsOptions = {},
): void {
  const latest = useRef(isNews);
  latest.current = isNews;
  useEffect(() => {
    const again = spaced(reload, apartMs);
    const stops = [
      onLiveEvent((event) => void (latest.current(event) && again.ask())),
      onResync(isWaitedFor ? resync : async () => again.ask()),
      again.stop,
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, []);
}
