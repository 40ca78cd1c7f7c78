import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useCallback, useEffect, useRef } from 'preact/hooks';
import { createLoader, type Loader, type Loading } from './loader.ts';
import { ApiError, isTransient } from './request.ts';

export type Load<T> = Loading<T, ApiError>;

export interface Resource<T> {
  readonly load: ReadonlySignal<Load<T>>;
  /** Keeps the current data visible until new data arrives, even if loading fails. */
  reload(): void;
  /** Rejects only if the failure is worth retrying. */
  resync(): Promise<void>;
  put(data: T): void;
}

/** Ignores responses for an earlier key. */
export function useResource<T>(key: string, fetch: (signal: AbortSignal) => Promise<T>): Resource<T> {
  const load = useSignal<Load<T>>({ state: 'loading' });
  const latest = useRef(fetch);
  latest.current = fetch;
  const loader = useRef<Loader<T> | null>(null);
  const resync = useCallback(async () => {
    await loader.current?.load().catch((cause: unknown) => {
      if (isTransient(cause)) throw cause;
    });
  }, []);
  const reload = useCallback(() => void resync().catch(() => {}), []);
  useEffect(() => {
    load.value = { state: 'loading' };
    const own = createLoader<T, ApiError>({
      fetch: (signal) => latest.current(signal),
      show(next) {
        load.value = next;
      },
      shown: () => load.peek(),
      errorOf,
    });
    loader.current = own;
    reload();
    return own.stop;
  }, [key]);
  const put = useCallback((data: T) => loader.current?.put(data), []);
  return { load, reload, resync, put };
}

export const errorOf = (cause: unknown): ApiError =>
  cause instanceof ApiError ? cause : new ApiError(cause instanceof Error ? cause.message : String(cause), { code: 'UNKNOWN' });
