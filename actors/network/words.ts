import type { Content } from './port.ts';

export function wordsOf(content: Content): string | null {
  if (content.type === 'text') return content.body;
  if ('caption' in content) return content.caption;
  return 'name' in content ? content.name : null;
}
