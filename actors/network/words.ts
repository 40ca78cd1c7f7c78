import type { Content } from './port.ts';

/** The words of a message: its text, its caption, or what it is called. Null: it has none. */
export function wordsOf(content: Content): string | null {
  if (content.type === 'text') return content.body;
  if ('caption' in content) return content.caption;
  return 'name' in content ? content.name : null;
}
