import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useCallback, useEffect, useRef } from 'preact/hooks';
import { createLoader, type Loader, type Loading } from './loader.ts';
import { ApiError, isTransient } from './request.ts';

/** Something loaded from the gateway, as it stands now. */
export type Load<T> = Loading<T, ApiError>;

export interface Resource<T> {
  readonly load: ReadonlySignal<Load<T>>;
  /** Loads again; what is shown stays until the new answer is there, and where there is none. */
  reload(): void;
  /** As `reload`. Rejects where nobody answered, so that it is worth another try; a refusal is an answer. */
  resync(): Promise<void>;
  /** Shows this without asking, such as the answer of a change. */
  put(data: T): void;
}

/** Loads with `fetch` now and whenever `key` changes. What comes for an earlier key is dropped. */
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
  // The key says when the answer would be another one.
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

/** A failure of any kind, for people. */
export const errorOf = (cause: unknown): ApiError =>
  cause instanceof ApiError ? cause : new ApiError(cause instanceof Error ? cause.message : String(cause), { code: 'UNKNOWN' });
