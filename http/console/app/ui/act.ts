import { type ReadonlySignal, useSignal } from '@preact/signals';
import type { ApiError } from '../api/request.ts';
import { errorOf } from '../api/resource.ts';

/** Something that a button does at the gateway. */
export interface Act {
  readonly isBusy: ReadonlySignal<boolean>;
  /** Why the last try failed; null: it did not. */
  readonly error: ReadonlySignal<ApiError | null>;
  /** Does it, unless it is being done. Never rejects. */
  run(work: () => Promise<unknown>): Promise<void>;
}

export function useAct(): Act {
  const isBusy = useSignal(false);
  const error = useSignal<ApiError | null>(null);
  return {
    isBusy,
    error,
    async run(work) {
      if (isBusy.value) return;
      isBusy.value = true;
      error.value = null;
      try {
        await work();
      } catch (cause) {
        error.value = errorOf(cause);
      } finally {
        isBusy.value = false;
      }
    },
  };
}
