import { bytesOf, child, children, type Stanza } from '../stanza.ts';
import type { Assertion, ReadField, ReadForm } from './files.ts';
import { nearest } from './written.ts';

const VALUES: Readonly<Record<string, RegExp>> = {
  integer: /^-?\d+$/,
  timestamp: /^\d+$/,
  timestamp_millis: /^\d+$/,
  user_jid: /^[^@:]*@?[a-z.]+$/,
  lid_user_jid: /^[^@:]+@lid$/,
  group_jid: /@g\.us$/,
  newsletter_jid: /@newsletter$/,
};

/** Records what parsers read from each node: `@name` is an attribute, `/tag` a child, `*` everything. */
export class Marks {
  readonly #read = new Map<Stanza, Set<string>>();
  readonly #asked: string[] = [];

  add(node: Stanza, what: string): void {
    const known = this.#read.get(node) ?? new Set();
    this.#read.set(node, known.add(what));
  }

  /** Marks a flag that reports whether something exists: `hasGroupLocked`. */
  asks(name: string): void {
    this.#asked.push(name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  }

  /** Returns the paths in the node, including its descendants, that no parser reads. */
  unread(node: Stanza, path: string): readonly string[] {
    const read = this.#read.get(node);
    if (!read || read.has('*')) return [];
    const attrs = Object.keys(node.attrs).filter((name) => !read.has(`@${name}`));
    const isRead = ({ tag }: Stanza): boolean =>
      read.has(`/${tag}`) || read.has('/') || this.#asked.some((name) => name.endsWith(`_${tag}`));
    const inside = children(node).flatMap((one) =>
      isRead(one) ? this.unread(one, `${path} ${one.tag}`) : [`${path} ${one.tag}: nobody reads it`],
    );
    return [...attrs.map((name) => `${path}: nobody reads attribute ${name}`), ...inside];
  }
}

/** Returns what a parser would find missing or invalid. */
function formFaults(node: Stanza, { assertions = [], fields }: ReadForm, marks: Marks, path: string): readonly string[] {
  const refuted = assertions.flatMap((assertion) => assertionFaults(node, assertion, marks, path));
  return [...refuted, ...fields.flatMap((field) => fieldFaults(node, field, marks, path))];
}

/** Returns the faults of the best-matching form. Everything that any of the forms reads is marked. */
export const bestFormFaults = (node: Stanza, forms: readonly ReadForm[], marks: Marks, path: string): readonly string[] =>
  nearest(forms, (form) => formFaults(node, form, marks, path))?.faults ?? [];

function assertionFaults(node: Stanza, { kind, name, value }: Assertion, marks: Marks, path: string): readonly string[] {
  if (kind === 'content') return bytesOf(node).toString() === value ? [] : [`${path}: holds no ${value}`];
  if (kind === 'tag') return node.tag === name ? [] : [`${path}: is no ${name}`];
  marks.add(node, `@${name}`);
  // A reference to an attribute of the query, such as its recipient or id.
  if (kind !== 'attr') return [];
  return node.attrs[name] === value ? [] : [`${path}: ${name} is not ${value}`];
}

function fieldFaults(start: Stanza, field: ReadField, marks: Marks, path: string): readonly string[] {
  const faults = allFieldFaults(start, field, marks, path);
  return isMerged(field) ? [] : faults;
}

function allFieldFaults(start: Stanza, field: ReadField, marks: Marks, path: string): readonly string[] {
  let node: Stanza = start;
  let there = path;
  for (const tag of field.sourcePath ?? []) {
    marks.add(node, `/${tag}`);
    const next = child(node, tag);
    there = `${there} ${tag}`;
    if (!next) return field.required && !field.repeats ? [`${there}: is missing`] : [];
    node = next;
  }
  marks.add(node, '');
  if (field.unionVariants) return unionFaults(node, field, marks, there);
  if (field.sameNode) return (field.children ?? []).flatMap((inner) => fieldFaults(node, inner, marks, there));
  if (field.method.startsWith('content')) return contentFaults(node, field, there);
  if (/attr|^literalJid/i.test(field.method)) return attributeFaults(node, field, marks, there);
  if (/child/i.test(field.method)) return childFaults(node, field, marks, there);
  if (field.wireName) marks.add(node, `@${field.wireName}`);
  else marks.asks(field.name);
  return [];
}

/** Whether the field is merged into its node and is skipped when incomplete. */
const isMerged = ({ sameNode, name, required }: ReadField): boolean => !required && (sameNode === true || name.endsWith('Mixin'));

function unionFaults(node: Stanza, { unionVariants = [], required }: ReadField, marks: Marks, path: string): readonly string[] {
  const faults = bestFormFaults(node, unionVariants, marks, path);
  return required ? faults : [];
}

function attributeFaults(node: Stanza, field: ReadField, marks: Marks, path: string): readonly string[] {
  const name = field.wireName ?? field.name;
  marks.add(node, `@${name}`);
  const value = node.attrs[name];
  if (value === undefined) return field.required ? [`${path}: no attribute ${name}`] : [];
  if (field.literalValue !== undefined) return value === field.literalValue ? [] : [`${path}: ${name} is not ${field.literalValue}`];
  const words = field.enumKeys ?? field.enumRef?.variants.map((variant) => variant.value);
  if (words)
    return words.includes(value) || /OrNullIfUnknown/.test(field.method) ? [] : [`${path}: ${name} is none of ${words.join(', ')}`];
  return (VALUES[field.type]?.test(value) ?? true) && isWithin(Number(value), field.intMin, field.intMax)
    ? []
    : [`${path}: ${name} is no ${field.type}`];
}

function childFaults(node: Stanza, field: ReadField, marks: Marks, path: string): readonly string[] {
  const fields = field.children ?? [];
  const tag = field.method === 'mapChildren' ? '' : (field.tag ?? field.name);
  marks.add(node, `/${tag}`);
  const found = children(node, tag || undefined);
  if (found.length === 0) return field.required && !field.repeats ? [`${path} ${tag}: is missing`] : [];
  return (field.repeats ? found : found.slice(0, 1)).flatMap((one) => {
    marks.add(one, fields.length === 0 ? '*' : '');
    return fields.flatMap((inner) => fieldFaults(one, inner, marks, `${path} ${tag}`));
  });
}

function contentFaults(node: Stanza, { byteLength, byteMin, byteMax }: ReadField, path: string): readonly string[] {
  const { length } = bytesOf(node);
  const isFine = byteLength === undefined ? isWithin(length, byteMin, byteMax) : length === byteLength;
  return isFine ? [] : [`${path}: ${length} bytes`];
}

const isWithin = (value: number, min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY): boolean =>
  Number.isNaN(value) || (value >= min && value <= max);
