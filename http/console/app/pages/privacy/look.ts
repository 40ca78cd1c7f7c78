import { useEffect } from 'preact/hooks';
import type { Resource } from '../../api/resource.ts';

const LOOK_MS = 2_000;

/** Polls a running job, because no event reports its progress. */
export function useLook<T>(resource: Resource<T>, isUnderWay: (data: T) => boolean): void {
  const load = resource.load.value;
  const looks = load.state === 'loaded' && isUnderWay(load.data);
  useEffect(() => {
    if (!looks) return;
    const timer = setInterval(() => document.hidden || resource.reload(), LOOK_MS);
    return () => clearInterval(timer);
  }, [looks]);
}
