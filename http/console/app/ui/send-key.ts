import { useRef } from 'preact/hooks';
import { newKey } from '../api/client.ts';

/**
 * Retries of the same content use the same key, so content whose response was lost is not sent
 * twice.
 */
export interface SendKey {
  of(content: unknown): string;
  /** Call this when the send has been accepted. The same content then gets a new key. */
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
