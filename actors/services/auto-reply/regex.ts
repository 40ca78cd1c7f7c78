import { RE2JS, RE2Set } from 're2js';

/** A pattern that matches in time proportional to the text, for every pattern. */
export interface LinearPattern {
  /** Is it anywhere in the text? */
  isIn(text: string): boolean;
  /** At most so much memory is taken by it, about. */
  readonly bytes: number;
}

/** Steps of a compiled pattern; counted repeats of repeats make many. */
const MAX_STEPS = 5_000;
const STEP_BYTES = 256;
/** For the states that texts have brought a pattern to. Ordinary ones have fewer; others go on without keeping them. */
const STATES_BYTES = 32 * 1024;

/** Null: the engine that guarantees linear time cannot do it (look-around, back-references, very many counted repeats). */
export function linearPattern(source: string, matchCase: boolean): LinearPattern | null {
  try {
    const compiled = new RE2Set(RE2Set.UNANCHORED, matchCase ? 0 : RE2JS.CASE_INSENSITIVE, STATES_BYTES);
    compiled.add(RE2JS.translateRegExp(source));
    compiled.compile();
    const steps = compiled.prog.numInst();
    return steps > MAX_STEPS ? null : { isIn: (text) => compiled.match(text).length > 0, bytes: steps * STEP_BYTES + STATES_BYTES };
  } catch {
    return null;
  }
}
