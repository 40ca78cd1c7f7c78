import { globSync, readFileSync } from 'node:fs';
import { present } from '../../runtime/invariant.ts';

/**
 * Returns the top-level fields of every collection, read from the row types in the sources, so that a new field is
 * known before any data is stored in it.
 */
export function storedFields(): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map([...markedFields()].map(([name, fields]) => [name, new Set([...fields].map((field) => field.replace('?', '')))]));
}

/** Returns the optional fields, which rows stored before the field existed may lack. */
export function optionalFields(): ReadonlyMap<string, readonly string[]> {
  const optional = (fields: ReadonlySet<string>): readonly string[] =>
    [...fields].flatMap((field) => (field.endsWith('?') ? [field.slice(0, -1)] : []));
  return new Map([...markedFields()].map(([name, fields]) => [name, optional(fields)]));
}

/** Returns the fields, with `?` after the names of optional ones. */
function markedFields(): ReadonlyMap<string, ReadonlySet<string>> {
  const sources = new Map(globSync(['store/**/*.ts', 'scripts/wiring/*.ts']).map((file) => [file, readFileSync(file, 'utf8')]));
  const found = new Map<string, ReadonlySet<string>>(
    LABELS.map(([name, row]) => [name, fieldsOf(sources, row, 'store/contacts/labels.ts')]),
  );
  for (const [file, text] of sources)
    for (const [, row = '', spec = ''] of text.matchAll(/\.collection<(\w+)(?:<\w+>)?>\(([^)]*)\)/g)) {
      if (row === 'T' || row === 'Row') continue;
      const name = nameIn(spec) ?? nameIn(specOf(sources, file, spec.trim()));
      // The collection is opened only for its ids, or by generic code.
      if (row === 'Doc') {
        if (name !== undefined && !found.has(name)) found.set(name, new Set(['_id']));
        continue;
      }
      found.set(present(name, `the collection of ${row} in ${file}`), fieldsOf(sources, row, file));
    }
  return found;
}

/** Collections of labels, which share one record type and are opened by one function. */
const LABELS = [
  ['contact_groups', 'GroupRow'],
  ['tags', 'TagRow'],
  ['attributes', 'AttributeRow'],
  ['segments', 'SegmentRow'],
  ['templates', 'TemplateRow'],
] as const;

type Sources = ReadonlyMap<string, string>;

const nameIn = (spec: string): string | undefined => /name: '(\w+)'/.exec(spec)?.[1];

/** Starts with the given file, because names of types and constants are not unique. */
const inOrder = (sources: Sources, file: string): readonly string[] => [sources.get(file) ?? '', ...sources.values()];

function specOf(sources: Sources, file: string, name: string): string {
  for (const text of inOrder(sources, file)) {
    const start = new RegExp(`const ${name}\\b[^=]*= \\{`).exec(text);
    if (start) return blockAt(text, start.index + start[0].length);
  }
  return '';
}

/** Returns the text between the brace before `from` and its matching brace. */
function blockAt(text: string, from: number): string {
  let depth = 1;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '{') depth += 1;
    if (text[at] === '}') depth -= 1;
    if (depth === 0) return text.slice(from, at);
  }
  return '';
}

function fieldsOf(sources: Sources, type: string, file: string): ReadonlySet<string> {
  for (const text of inOrder(sources, file)) {
    const alias = new RegExp(`type ${type}(?:<[^=]*>)? = ([^;]+);`).exec(text)?.[1];
    const keyed = /^keyof typeof (\w+)$/.exec(alias ?? '')?.[1];
    if (keyed !== undefined) return new Set([...specOf(sources, file, keyed).matchAll(/(\w+):/g)].flatMap(([, name]) => name ?? []));
    if (alias !== undefined) return new Set([...alias.matchAll(/\b[A-Z]\w+/g)].flatMap(([name]) => [...fieldsOf(sources, name, file)]));
    const start = new RegExp(`interface ${type}(?:<[^{]*>)?(?: extends ([^{]+?))? \\{`).exec(text);
    if (start) {
      const own = topLevel(blockAt(text, start.index + start[0].length));
      return new Set(['_id', ...inherited(sources, start[1] ?? '', file), ...own]);
    }
  }
  throw new Error(`there is no type ${type}`);
}

function inherited(sources: Sources, bases: string, file: string): readonly string[] {
  return bases.split(/,\s*(?![^<]*>)/).flatMap((base) => {
    const [, how, type = '', rest = ''] = /^(?:(Omit|Pick|Partial|Readonly)<)?(?:Record<)?(\w+)(.*)$/s.exec(base.trim()) ?? [];
    if (type === '' || type === 'Doc') return [];
    const named = [...rest.matchAll(/'(\w+)'/g)].flatMap(([, name]) => name ?? []);
    const all = [...fieldsOf(sources, type, file)];
    if (how === 'Omit') return all.filter((field) => !named.includes(field.replace('?', '')));
    if (how === 'Partial') return all.map((field) => `${field.replace('?', '')}?`);
    return how === 'Pick' ? all.filter((field) => named.includes(field.replace('?', ''))) : all;
  });
}

function topLevel(body: string): readonly string[] {
  const bare = body.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, '');
  const fields: string[] = [];
  let [depth, current] = [0, ''];
  for (const char of bare) {
    if ('{([<'.includes(char)) depth += 1;
    if ('})]>'.includes(char)) depth -= 1;
    if (char !== ';' || depth > 0) current += char;
    else {
      fields.push(...(/^\s*(?:readonly )?(\w+\??):/.exec(current)?.slice(1) ?? []));
      current = '';
    }
  }
  return fields;
}
