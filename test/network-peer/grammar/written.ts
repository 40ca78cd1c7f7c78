import { children, type Stanza } from '../stanza.ts';
import type { WrittenAttribute, WrittenPart } from './files.ts';

const VALUES: Readonly<Record<string, RegExp>> = {
  integer: /^\d+$/,
  group_jid: /@g\.us$/,
  user_jid: /^[^@]*@?[a-z.]+$/,
  device_jid: /^[^@]*@?[a-z.]+$/,
  string: /./s,
  generated_id: /./,
};

/** Returns the parts of a node that a builder would not write, and missing parts, as lines `path: what`. */
export function writtenFaults(node: Stanza, part: WrittenPart, path: string): readonly string[] {
  const varying = (part.variantGroups ?? []).flatMap(({ variants }) => variants);
  const attrs = [...(part.attrs ?? []), ...varying.flatMap((variant) => (variant.attrs ?? []).map(optional))];
  const parts = [...(part.children ?? []), ...varying.flatMap((variant) => variant.children ?? [])];
  return [...attributeFaults(node, attrs, path), ...contentFaults(node, part, path), ...childFaults(node, parts, path)];
}

/** Returns the part that is most similar to the node, among several parts with the same tag. */
export function nearest<Way>(
  ways: readonly Way[],
  faultsOf: (way: Way) => readonly string[],
): { way: Way; faults: readonly string[] } | null {
  let best: { way: Way; faults: readonly string[] } | null = null;
  for (const way of ways) {
    const faults = faultsOf(way);
    if (best === null || faults.length < best.faults.length) best = { way, faults };
  }
  return best;
}

const fits = (value: string, { kind, value: said }: WrittenAttribute): boolean =>
  kind === 'const' ? value === said : (VALUES[kind]?.test(value) ?? true);

const wanted = ({ kind, value }: WrittenAttribute): string => value ?? kind;

const optional = (attribute: WrittenAttribute): WrittenAttribute => ({ ...attribute, required: false });

function attributeFaults(node: Stanza, attrs: readonly WrittenAttribute[], path: string): readonly string[] {
  const missing = attrs.filter(({ name, kind, required }) => required && kind !== 'dynamic' && node.attrs[name] === undefined);
  const present = Object.entries(node.attrs).flatMap(([name, value]) => {
    const known = attrs.filter((attribute) => attribute.name === name);
    if (known.length === 0) return [`${path}: attribute ${name} is not known`];
    return known.some((attribute) => fits(value, attribute)) ? [] : [`${path}: ${name} is ${known.map(wanted).join(' or ')}`];
  });
  return [...missing.map(({ name }) => `${path}: no attribute ${name}`), ...present];
}

function contentFaults({ content }: Stanza, { content: said }: WrittenPart, path: string): readonly string[] {
  if (said?.byteLength === undefined) return [];
  const length = content instanceof Uint8Array ? content.length : -1;
  return length === said.byteLength ? [] : [`${path}: not ${said.byteLength} bytes`];
}

function childFaults(node: Stanza, parts: readonly WrittenPart[], path: string): readonly string[] {
  if (parts.length === 0) return [];
  return children(node).flatMap((child) => {
    const there = `${path} ${child.tag}`;
    const ways = parts.filter(({ tag }) => tag === child.tag);
    return nearest(ways, (part) => writtenFaults(child, part, there))?.faults ?? [`${there}: not known`];
  });
}
