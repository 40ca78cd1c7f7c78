import { useEffect, useRef } from 'preact/hooks';
import type { Resource } from '../api/resource.ts';
import { type LiveEvent, onLiveEvent, onResync } from '../state/live.ts';
import { spaced } from './spaced.ts';

interface NewsOptions {
  readonly apartMs?: number;
  /** False if the console may be shown as live without this data, for example charts. */
  readonly isWaitedFor?: boolean;
}

/** Minimum interval between expensive requests, which every message would otherwise trigger. */
export const RARELY_MS = 5_000;

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
