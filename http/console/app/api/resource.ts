import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useCallback, useEffect, useRef } from 'preact/hooks';
import { ApiError } from './request.ts';

/** Something loaded from the gateway, as it stands now. */
export type Load<T> =
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly error: ApiError }
  | { readonly state: 'loaded'; readonly data: T };

export interface Resource<T> {
  readonly load: ReadonlySignal<Load<T>>;
  /** Loads again; what is shown stays until the new answer is there. */
  reload(): void;
  /** Shows this without asking, such as the answer of a change. */
  put(data: T): void;
}

/** Loads with `fetch` now and whenever `key` changes. What comes for an earlier key is dropped. */
export function useResource<T>(key: string, fetch: (signal: AbortSignal) => Promise<T>): Resource<T> {
  const load = useSignal<Load<T>>({ state: 'loading' });
  const underWay = useRef<AbortController | null>(null);
  const latest = useRef(fetch);
  latest.current = fetch;
  const reload = useCallback(() => {
    underWay.current?.abort();
    const controller = new AbortController();
    underWay.current = controller;
    if (load.value.state === 'failed') load.value = { state: 'loading' };
    latest.current(controller.signal).then(
      (data) => {
        if (!controller.signal.aborted) load.value = { state: 'loaded', data };
      },
      (cause: unknown) => {
        if (!controller.signal.aborted) load.value = { state: 'failed', error: errorOf(cause) };
      },
    );
  }, []);
  // The key says when the answer would be another one.
  useEffect(() => {
    load.value = { state: 'loading' };
    reload();
    return () => underWay.current?.abort();
  }, [key]);
  const put = useCallback((data: T) => {
    load.value = { state: 'loaded', data };
  }, []);
  return { load, reload, put };
}

/** A failure of any kind, for people. */
export const errorOf = (cause: unknown): ApiError =>
  cause instanceof ApiError ? cause : new ApiError(cause instanceof Error ? cause.message : String(cause), { code: 'UNKNOWN' });
