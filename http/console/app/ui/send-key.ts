import { useRef } from 'preact/hooks';
import { newKey } from '../api/client.ts';

/** Gives the `Idempotency-Key` of a send: the same again for the same content, so that a repeat after a lost answer sends nothing twice. */
export interface SendKey {
  of(content: unknown): string;
  /** It was accepted: whoever sends the same once more means another one. */
  done(): void;
}

export function useSendKey(): SendKey {
  const last = useRef<{ readonly content: string; readonly key: string } | null>(null);
  return {
    of(content) {
      const text = JSON.stringify(content);
      if (last.current?.content !== text) last.current = { content: text, key: newKey() };
      return last.current.key;
    },
    done() {
      last.current = null;
    },
  };
}
