import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useCallback, useEffect, useRef } from 'preact/hooks';
import { createLoader, type Loader, type Loading } from './loader.ts';
import { ApiError, isTransient } from './request.ts';

export type Load<T> = Loading<T, ApiError>;

export interface Resource<T> {
  readonly load: ReadonlySignal<Load<T>>;
  /** Loads again. The data shown stays until the new data arrives, and stays if the load fails. */
  reload(): void;
  /** Like `reload`, but rejects if the failure is worth a retry, such as no response. Other errors resolve. */
  resync(): Promise<void>;
  /** Shows `data` without a request, for example the response to a change. */
  put(data: T): void;
}

/** Loads with `fetch` now and whenever `key` changes. Responses for an earlier key are dropped. */
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
  // `key` stands for everything that `fetch` depends on.
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
