/**
 * Reads the web client's protocol definition: the fields of each message type, by its full name. Pure. Supports only
 * the syntax of that file; extensions, imports and maps are skipped.
 */

export interface FieldRule {
  readonly number: number;
  readonly name: string;
  /** Full name of a message, `enum`, or the name of a scalar type. */
  readonly type: string;
  readonly isRepeated: boolean;
  readonly isPacked: boolean;
}

export type Definition = ReadonlyMap<string, readonly FieldRule[]>;

const PLAIN: ReadonlySet<string> = new Set([
  ...['string', 'bytes', 'bool', 'double', 'float', 'int32', 'int64', 'uint32', 'uint64', 'sint32', 'sint64'],
  ...['fixed32', 'fixed64', 'sfixed32', 'sfixed64'],
]);
const OPENS = /^(message|enum|oneof) (\w+) \{(\})?$/;
const FIELD = /^(?:(optional|required|repeated) )?([\w.]+) (\w+) = (\d+)(.*);$/;

interface Read extends FieldRule {
  /** Scopes in which the type name is resolved. */
  readonly scope: readonly string[];
}

interface Block {
  readonly what: string;
  readonly name: string;
}

export function readDefinition(text: string): Definition {
  const messages = new Map<string, Read[]>();
  const enums = new Set<string>();
  const open: Block[] = [];
  for (const line of text.split('\n').map((one) => one.trim())) {
    if (line === '}') open.pop();
    const [, what, opened, closed] = OPENS.exec(line) ?? [];
    if (what && opened) open.push({ what, name: opened });
    const scope = open.flatMap(({ what: block, name }) => (block === 'oneof' ? [] : [name]));
    const fullName = scope.join('.');
    if (what === 'message') messages.set(fullName, []);
    else if (what === 'enum') enums.add(fullName);
    else if (open.at(-1)?.what !== 'enum') messages.get(fullName)?.push(...fieldIn(line, scope));
    if (closed) open.pop();
  }
  const resolved = ({ type, scope: at }: Read): string => {
    if (PLAIN.has(type)) return type;
    const names = at.map((_, nth) => [...at.slice(0, at.length - nth), type].join('.'));
    const found = [...names, type].find((name) => messages.has(name) || enums.has(name));
    if (found === undefined) throw new Error(`the definition names ${type}, and has none`);
    return enums.has(found) ? 'enum' : found;
  };
  return new Map(
    [...messages].map(([name, fields]) => [
      name,
      fields.map(({ scope: at, ...rule }) => ({ ...rule, type: resolved({ ...rule, scope: at }) })),
    ]),
  );
}

function fieldIn(line: string, scope: readonly string[]): readonly Read[] {
  const [, label, type = '', name = '', number = '', options = ''] = FIELD.exec(line) ?? [];
  if (!number) return [];
  return [{ number: Number(number), name, type, isRepeated: label === 'repeated', isPacked: options.includes('packed = true'), scope }];
}
