import { useRef } from 'preact/hooks';
import { newKey } from '../api/client.ts';

/**
 * Idempotency key of a form. The same content keeps its key, so that a repeat after a lost response is
 * not sent twice.
 */
export interface SendKey {
  of(content: unknown): string;
  /** Call when the send was accepted: the same content sent again then gets a new key. */
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
