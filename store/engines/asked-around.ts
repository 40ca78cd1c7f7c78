import type { Cursor } from '../port.ts';

/**
 * Runs `toArray` and the first iteration step inside `around`. If `onlyFirst` is false, runs every
 * step inside it.
 */
export function askedAround<T>(cursor: Cursor<T>, around: <R>(ask: () => Promise<R>) => Promise<R>, onlyFirst = true): Cursor<T> {
  return {
    toArray: () => around(() => cursor.toArray()),
    async *[Symbol.asyncIterator]() {
      const iterator = cursor[Symbol.asyncIterator]();
      try {
        for (let nth = 0; ; nth += 1) {
          const one = await (nth > 0 && onlyFirst ? iterator.next() : around(() => iterator.next()));
          if (one.done) return;
          yield one.value;
        }
      } finally {
        await iterator.return?.();
      }
    },
  };
}
