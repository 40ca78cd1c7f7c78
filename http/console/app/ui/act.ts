import { type ReadonlySignal, useSignal } from '@preact/signals';
import type { ApiError } from '../api/request.ts';
import { errorOf } from '../api/resource.ts';

export interface Act {
  readonly isBusy: ReadonlySignal<boolean>;
  readonly error: ReadonlySignal<ApiError | null>;
  /** Does nothing while an earlier call is still running. Never rejects. */
  run(work: () => Promise<unknown>): Promise<void>;
  again(): Promise<void>;
}

export function useAct(): Act {
  const isBusy = useSignal(false);
  const error = useSignal<ApiError | null>(null);
  const last = useSignal<() => Promise<unknown>>(async () => {});
  async function run(work: () => Promise<unknown>): Promise<void> {
    if (isBusy.value) return;
    last.value = work;
    isBusy.value = true;
    error.value = null;
    try {
      await work();
    } catch (cause) {
      error.value = errorOf(cause);
    } finally {
      isBusy.value = false;
    }
  }
  return { isBusy, error, run, again: () => run(last.peek()) };
}
