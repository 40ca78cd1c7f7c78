import { RE2JS } from 're2js';

/** A pattern that matches in time proportional to the text, for every pattern. */
export interface LinearPattern {
  /** Is it anywhere in the text? */
  isIn(text: string): boolean;
}

/** Steps of a compiled pattern; counted repeats of repeats make many. */
const MAX_STEPS = 5_000;

/** Null: the engine that guarantees linear time cannot do it (look-around, back-references, very many counted repeats). */
export function linearPattern(source: string, matchCase: boolean): LinearPattern | null {
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(source), matchCase ? 0 : RE2JS.CASE_INSENSITIVE);
    return compiled.programSize() > MAX_STEPS ? null : { isIn: (text) => compiled.test(text) };
  } catch {
    return null;
  }
}
