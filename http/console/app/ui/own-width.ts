import { type Signal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

export function useOwnWidth<E extends Element>(atFirst: number): { readonly ref: RefObject<E | null>; readonly width: Signal<number> } {
  const [ref, width] = [useRef<E | null>(null), useSignal(atFirst)];
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const measure = (): void => {
      width.value = Math.round(element.getBoundingClientRect().width) || atFirst;
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { ref, width };
}
