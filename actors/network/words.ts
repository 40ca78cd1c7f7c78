import type { Content } from './port.ts';

/** Returns a message's text: its body, caption or name; null if it does not have any of them. */
export function wordsOf(content: Content): string | null {
  if (content.type === 'text') return content.body;
  if ('caption' in content) return content.caption;
  return 'name' in content ? content.name : null;
}
