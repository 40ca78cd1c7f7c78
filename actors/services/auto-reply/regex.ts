import { RE2JS, RE2Set } from 're2js';

export interface LinearPattern {
  isIn(text: string): boolean;
  readonly bytes: number;
}

/** Maximum number of steps in a compiled pattern. Nested counted repetitions produce many steps. */
const MAX_STEPS = 5_000;
const STEP_BYTES = 128;
const STATES_BYTES = 32 * 1024;

/** Returns null if the linear-time engine does not support the pattern, for example look-around. */
export function linearPattern(source: string, matchCase: boolean): LinearPattern | null {
  try {
    const compiled = new RE2Set(RE2Set.UNANCHORED, matchCase ? 0 : RE2JS.CASE_INSENSITIVE, STATES_BYTES);
    compiled.add(RE2JS.translateRegExp(source));
    compiled.compile();
    if (compiled.prog.numInst() > MAX_STEPS) return null;
    // Free the syntax tree, which is no longer needed and takes as much memory as the compiled program.
    compiled.regexps = [];
    return { isIn: (text) => compiled.match(text).length > 0, bytes: compacted(compiled.prog.inst) + STATES_BYTES };
  } catch {
    return null;
  }
}

interface Step {
  runes: Int32Array;
}

const NO_RUNES = new Int32Array(0);

/** Returns a program's size. Its empty steps then share one array, which halves some patterns' memory. */
function compacted(steps: readonly Step[]): number {
  for (const step of steps) if (step.runes.length === 0) step.runes = NO_RUNES;
  const runes = [...new Set(steps.map((step) => step.runes))];
  return steps.length * STEP_BYTES + runes.reduce((sum, { byteLength }) => sum + byteLength, 0);
}
