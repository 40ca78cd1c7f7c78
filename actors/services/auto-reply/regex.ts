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
const STEP_BYTES = 128;
/** For the states that texts have brought a pattern to. Ordinary ones have fewer; others go on without keeping them. */
const STATES_BYTES = 32 * 1024;

/** Null: the engine that guarantees linear time cannot do it (look-around, back-references, very many counted repeats). */
export function linearPattern(source: string, matchCase: boolean): LinearPattern | null {
  try {
    const compiled = new RE2Set(RE2Set.UNANCHORED, matchCase ? 0 : RE2JS.CASE_INSENSITIVE, STATES_BYTES);
    compiled.add(RE2JS.translateRegExp(source));
    compiled.compile();
    if (compiled.prog.numInst() > MAX_STEPS) return null;
    // The tree it was compiled from is needed no more, and takes as much again.
    compiled.regexps = [];
    return { isIn: (text) => compiled.match(text).length > 0, bytes: compacted(compiled.prog.inst) + STATES_BYTES };
  } catch {
    return null;
  }
}

interface Step {
  /** The characters it is about. */
  runes: Int32Array;
}

const NO_RUNES = new Int32Array(0);

/** Has the steps that are about no characters share that, which were more than half of the memory of some patterns. Gives the bytes that all take, about. */
function compacted(steps: readonly Step[]): number {
  for (const step of steps) if (step.runes.length === 0) step.runes = NO_RUNES;
  const runes = [...new Set(steps.map((step) => step.runes))];
  return steps.length * STEP_BYTES + runes.reduce((sum, { byteLength }) => sum + byteLength, 0);
}
