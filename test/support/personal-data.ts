import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

/** Collections from which a dedicated step erases a person, instead of a search for the number in each row. */
export const IN_STEPS: readonly string[] = [
  ...['consents', 'consent_history', 'media', 'derived_files', 'store_memory', 'import_files', 'ai_unanswered', 'ai_chats'],
  ...['audit', 'identities', 'privacy_exports', 'privacy_export_files'],
];

/** The effect of a person's erasure on a field. */
export type Fate = 'erased, exported' | 'erased' | 'kept';
const fateOf = (text: string): Fate => (text === 'erased' || text === 'kept' ? text : 'erased, exported');

/** Returns the fields of each collection as documented in docs/personal-data.md. */
export function mapped(): ReadonlyMap<string, ReadonlyMap<string, Fate>> {
  const [, ...sections] = readFileSync('docs/personal-data.md', 'utf8').split(/^### /m);
  return new Map(
    sections.map((section) => {
      const lines = [...section.matchAll(/^- \*\*(erased, exported|erased|kept)(?: \([^)]+\))?\*\*: ([^.]*)\./gm)];
      const fields = lines.flatMap(([, fate = '', names = '']) =>
        [...names.matchAll(/`(\w+)`/g)].map(([, name = '']): [string, Fate] => [name, fateOf(fate)]),
      );
      assert.equal(new Map(fields).size, fields.length, `a field is listed twice: ${section.slice(0, 40)}`);
      return [section.slice(0, section.indexOf('\n')), new Map(fields)];
    }),
  );
}
