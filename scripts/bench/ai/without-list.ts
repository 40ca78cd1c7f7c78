/** Runs the local reader without one of its word lists, to measure what the list contributes. */
import { readdirSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const LISTS = new URL('../../../actors/services/ai-reply/retrieval/words/', import.meta.url);

export const WORD_LISTS: readonly string[] = readdirSync(LISTS).map((file) => file.replace(/\.ts$/, ''));

/** Affects only modules that are imported after this call. */
export function leaveOut(list: string): void {
  const emptied = new URL(`${list}.ts`, LISTS);
  const [, name] = /export const (\w+)/.exec(readFileSync(emptied, 'utf8')) ?? [];
  registerHooks({
    load: (url, context, next) =>
      url === emptied.href ? { format: 'module', source: `export const ${name} = '';`, shortCircuit: true } : next(url, context),
  });
}
