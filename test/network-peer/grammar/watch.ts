import type { Way } from '../journal.ts';
import type { Stanza } from '../stanza.ts';
import { isExcused } from './apart.ts';
import { hasGrammar } from './files.ts';
import { Grammar } from './grammar.ts';

/** Unexplained differences in all worlds of this process, each with the first stanza that showed it. */
const differing = new Map<string, Stanza>();

/**
 * Checks every stanza that passes a peer against the web client's grammar. An unexplained difference (see `apart.ts`)
 * fails the process when it exits, so every driver test also tests its stanzas.
 */
export class GrammarWatch {
  readonly #grammar = new Grammar();
  readonly #faults: string[] = [];

  /** Differences found in this world. */
  get faults(): readonly string[] {
    return this.#faults;
  }

  see(line: string, way: Way, stanza: Stanza): void {
    for (const fault of this.#grammar.check(line, way, stanza)) {
      if (isExcused(fault)) continue;
      this.#faults.push(fault);
      if (differing.size === 0) process.once('exit', tell);
      differing.set(fault, differing.get(fault) ?? stanza);
    }
  }
}

/** Returns null if the grammar files are missing. */
export const watchGrammar = (): GrammarWatch | null => (hasGrammar() ? new GrammarWatch() : null);

function tell(): void {
  const lines = [...differing].map(([fault, stanza]) => `  ${fault}\n    ${JSON.stringify(stanza)}`);
  console.error(`Stanzas differ from the web client's grammar (test/network-peer/grammar/apart.ts):\n${lines.join('\n')}`);
  process.exitCode = 1;
}
