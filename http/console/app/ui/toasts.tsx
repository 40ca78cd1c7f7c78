import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { errorOf } from '../api/resource.ts';
import { shownToast, type Toast, toast } from '../state/toast.ts';
import { common } from '../words/common.ts';

/** How long a message is shown. It stays longer while the pointer or the focus is on it. */
const SHOWN_MS = 6_000;

export function Toasts(): JSX.Element {
  const t = common();
  const now = shownToast.value;
  const isHeld = useSignal(false);
  useEffect(() => {
    if (now === null || isHeld.value) return;
    const timer = setTimeout(() => {
      shownToast.value = null;
    }, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [now, isHeld.value]);
  const hold = (held: boolean) => () => {
    isHeld.value = held;
  };
  const undo = async ({ undo: take }: Toast): Promise<void> => {
    shownToast.value = null;
    isHeld.value = false;
    await take?.().catch((cause: unknown) => toast(errorOf(cause).message));
  };
  return (
    <div class="toasts" role="status" data-testid="toast">
      {now && (
        <div class="toast" onPointerEnter={hold(true)} onPointerLeave={hold(false)} onFocusIn={hold(true)} onFocusOut={hold(false)}>
          <span class="grow">{now.text}</span>
          {now.undo && (
            <button type="button" data-testid="undo" onClick={() => undo(now)}>
              {t.undo}
            </button>
          )}
        </div>
      )}
    </div>
  );
}
