import type { BinaryNode } from '@whiskeysockets/baileys';
import { DOUBLE_BYTE_TOKENS, SINGLE_BYTE_TOKENS, TAGS } from '@whiskeysockets/baileys/lib/WABinary/constants.js';

const NIBBLES = codesOf('0123456789-.');
const HEX_DIGITS = codesOf('0123456789ABCDEF');
const END_OF_NIBBLES = 15;
const MAX_PACKED = 127;
/** Address domains by number. Any other number means the domain of phone numbers. */
const DOMAINS: ReadonlyMap<number, string> = new Map([
  [1, 'lid'],
  [128, 'hosted'],
  [129, 'hosted.lid'],
]);
const BY_NUMBER = 's.whatsapp.net';

const unpacked = Buffer.alloc(2 * MAX_PACKED);
let input: Buffer = unpacked;
let place = 0;

/** Decodes faster than the library, which creates about twenty functions per element. */
export function decodeNode(bytes: Buffer): BinaryNode {
  input = bytes;
  place = 0;
  try {
    return element();
  } finally {
    input = unpacked;
  }
}

function element(): BinaryNode {
  const size = listSize(byte());
  const tag = text(byte());
  if (size === 0 || tag === '') throw new Error('invalid node');
  const attrs: Record<string, string> = {};
  for (let left = (size - 1) >> 1; left > 0; left -= 1) {
    const name = text(byte());
    attrs[name] = text(byte());
  }
  return size % 2 === 0 ? { tag, attrs, content: inside(byte()) } : { tag, attrs };
}

type Content = NonNullable<BinaryNode['content']>;

function inside(kind: number): Content {
  switch (kind) {
    case TAGS.LIST_EMPTY:
    case TAGS.LIST_8:
    case TAGS.LIST_16:
      return elements(listSize(kind));
    case TAGS.BINARY_8:
    case TAGS.BINARY_20:
    case TAGS.BINARY_32:
      return blob(blobSize(kind));
    default:
      return text(kind);
  }
}

function elements(size: number): BinaryNode[] {
  const all: BinaryNode[] = [];
  while (all.length < size) all.push(element());
  return all;
}

function listSize(kind: number): number {
  if (kind === TAGS.LIST_EMPTY) return 0;
  if (kind === TAGS.LIST_8) return byte();
  if (kind === TAGS.LIST_16) return integer(2);
  throw new Error(`invalid tag for list size: ${kind}`);
}

function text(kind: number): string {
  if (kind > 0 && kind < SINGLE_BYTE_TOKENS.length) return SINGLE_BYTE_TOKENS[kind] ?? '';
  switch (kind) {
    case TAGS.LIST_EMPTY:
      return '';
    case TAGS.DICTIONARY_0:
    case TAGS.DICTIONARY_1:
    case TAGS.DICTIONARY_2:
    case TAGS.DICTIONARY_3:
      return token(kind - TAGS.DICTIONARY_0, byte());
    case TAGS.BINARY_8:
    case TAGS.BINARY_20:
    case TAGS.BINARY_32:
      return characters(blobSize(kind));
    case TAGS.NIBBLE_8:
      return packed(NIBBLES, END_OF_NIBBLES);
    case TAGS.HEX_8:
      return packed(HEX_DIGITS, null);
    default:
      return address(kind);
  }
}

function token(dictionary: number, nth: number): string {
  const found = DOUBLE_BYTE_TOKENS[dictionary]?.[nth];
  if (found === undefined) throw new Error(`invalid token ${nth} of dictionary ${dictionary}`);
  return found;
}

function address(kind: number): string {
  switch (kind) {
    case TAGS.JID_PAIR: {
      const user = text(byte());
      return `${user}@${present(text(byte()))}`;
    }
    case TAGS.AD_JID: {
      const domain = DOMAINS.get(byte()) ?? BY_NUMBER;
      const device = byte();
      return `${text(byte())}${device > 0 ? `:${device}` : ''}@${domain}`;
    }
    case TAGS.FB_JID: {
      const user = text(byte());
      const device = integer(2);
      return `${user}:${device}@${text(byte())}`;
    }
    case TAGS.INTEROP_JID:
      return interoperable();
    default:
      throw new Error(`invalid string with tag: ${kind}`);
  }
}

/** Reads an interoperable address. Its server may be omitted. */
function interoperable(): string {
  const user = text(byte());
  const device = integer(2);
  const integrator = integer(2);
  const before = place;
  try {
    return `${integrator}-${user}:${device}@${text(byte())}`;
  } catch {
    place = before;
    return `${integrator}-${user}:${device}@interop`;
  }
}

function present(server: string): string {
  if (server === '') throw new Error('invalid jid pair');
  return server;
}

/** The first bit of the first byte indicates that the last character is unused. */
function packed(digits: readonly number[], end: number | null): string {
  const first = byte();
  const size = first & MAX_PACKED;
  needs(size);
  for (let nth = 0; nth < size; nth += 1) {
    const both = input[place + nth] ?? 0;
    unpacked[2 * nth] = digit(digits, both >> 4, end);
    unpacked[2 * nth + 1] = digit(digits, both & 15, end);
  }
  place += size;
  return unpacked.toString('latin1', 0, Math.max(0, 2 * size - (first >> 7)));
}

function digit(digits: readonly number[], value: number, end: number | null): number {
  const code = value === end ? 0 : digits[value];
  if (code === undefined) throw new Error(`invalid packed character: ${value}`);
  return code;
}

function blobSize(kind: number): number {
  if (kind === TAGS.BINARY_8) return byte();
  return kind === TAGS.BINARY_20 ? integer(3) & 0xfffff : integer(4);
}

function blob(size: number): Buffer {
  needs(size);
  place += size;
  return input.subarray(place - size, place);
}

function characters(size: number): string {
  needs(size);
  place += size;
  return input.toString('utf8', place - size, place);
}

function byte(): number {
  needs(1);
  place += 1;
  return input[place - 1] ?? 0;
}

function integer(size: number): number {
  needs(size);
  place += size;
  return input.readUIntBE(place - size, size);
}

function needs(size: number): void {
  if (place + size > input.length) throw new Error('end of stream');
}

function codesOf(characters: string): readonly number[] {
  return [...characters].map((character) => character.charCodeAt(0));
}
