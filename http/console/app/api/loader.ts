export type Loading<T, E> =
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly error: E }
  /** `error` is the reason why the latest reload failed. The earlier data is kept. */
  | { readonly state: 'loaded'; readonly data: T; readonly error?: E };

export interface LoaderDeps<T, E> {
  fetch(signal: AbortSignal): Promise<T>;
  show(load: Loading<T, E>): void;
  shown(): Loading<T, E>;
  errorOf(cause: unknown): E;
}

export interface Loader<T> {
  load(): Promise<void>;
  /** Shows `data`. A response that is still pending is discarded and requested again. */
  put(data: T): void;
  stop(): void;
}

/**
 * Requests made during a fetch share the next fetch, so that frequent requests never cancel each
 * other.
 */
export function createLoader<T, E>({ fetch, show, shown, errorOf }: LoaderDeps<T, E>): Loader<T> {
  const over = new AbortController();
  let underWay: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  let isStale = false;

  async function once(): Promise<void> {
    if (over.signal.aborted) return;
    isStale = false;
    if (shown().state === 'failed') show({ state: 'loading' });
    try {
      const data = await fetch(over.signal);
      if (over.signal.aborted) return;
      if (isStale) return void load().catch(() => {});
      show({ state: 'loaded', data });
    } catch (cause) {
      if (over.signal.aborted) return;
      const [error, before] = [errorOf(cause), shown()];
      show(before.state === 'loaded' ? { ...before, error } : { state: 'failed', error });
      throw error;
    }
  }

  function load(): Promise<void> {
    if (!underWay) {
      underWay = once().finally(() => {
        underWay = null;
      });
      return underWay;
    }
    next ??= underWay
      .catch(() => {})
      .then(() => {
        next = null;
        return load();
      });
    return next;
  }

  return {
    load,
    put(data) {
      isStale = true;
      show({ state: 'loaded', data });
    },
    stop: () => over.abort(),
  };
}
