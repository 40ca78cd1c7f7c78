import { useEffect } from 'preact/hooks';
import type { Resource } from '../api/resource.ts';
import { type LiveEvent, onLiveEvent, onResync } from '../state/live.ts';

/** Loads again whenever something happens that the resource shows, and after a time without the stream. */
export function useNews({ reload, resync }: Pick<Resource<unknown>, 'reload' | 'resync'>, isNews: (event: LiveEvent) => boolean): void {
  useEffect(() => {
    const stops = [onLiveEvent((event) => void (isNews(event) && reload())), onResync(resync)];
    return () => {
      for (const stop of stops) stop();
    };
  }, []);
}
