import { OPT_IN } from './opt-in.ts';
import { OPT_OUT } from './opt-out.ts';

export const DEFAULT_OPT_OUT: readonly string[] = all(OPT_OUT);
export const DEFAULT_OPT_IN: readonly string[] = all(OPT_IN);

function all(byLanguage: Readonly<Record<string, string>>): readonly string[] {
  return [...new Set(Object.values(byLanguage).flatMap((words) => words.split('|')))];
}
