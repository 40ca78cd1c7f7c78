import { useEffect, useRef } from 'preact/hooks';
import type { Resource } from '../api/resource.ts';
import { type LiveEvent, onLiveEvent, onResync } from '../state/live.ts';
import { spaced } from './spaced.ts';

interface NewsOptions {
  /** At least so long between two loads; more for what costs the gateway much. */
  readonly apartMs?: number;
  /** False: the console is live also where this could not be read again, as it may for figures. */
  readonly isWaitedFor?: boolean;
}

/** Between two loads of what costs much and is followed by events of every message. */
export const RARELY_MS = 5_000;

/** Loads again whenever something happens that the resource shows, the first time at once, and after a time without the stream. */
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
