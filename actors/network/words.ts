import type { Content } from './port.ts';

/** Returns the text of a message: its body, its caption, or its name. Returns null when it has none. */
export function wordsOf(content: Content): string | null {
  if (content.type === 'text') return content.body;
  if ('caption' in content) return content.caption;
  return 'name' in content ? content.name : null;
}
