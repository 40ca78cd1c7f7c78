import type { BinaryNode } from '@whiskeysockets/baileys';
import { TAGS } from '@whiskeysockets/baileys/lib/WABinary/constants.js';
import { encodeBinaryNode as encodedByLibrary } from '@whiskeysockets/baileys/lib/WABinary/encode.js';
import { RecentCache } from '../../../../runtime/recent-cache.ts';
import { marked } from '../sealed-as.ts';

const KNOWN_TEXTS = 4_000;
const MAX_KNOWN_LENGTH = 100;
const FLAGS = 0;
const SIZE = 64 * 1024;

const texts = new RecentCache<string, Uint8Array>(KNOWN_TEXTS);
let out = Buffer.allocUnsafeSlow(SIZE);
let length = 0;

/** Produces the same bytes and errors as the library, without a list that grows byte by byte. */
export function encodeBinaryNode(node: BinaryNode): Buffer {
  length = 0;
  byte(FLAGS);
  element(marked(node));
  const written = Buffer.from(out.subarray(0, length));
  // Release the large buffer after a large stanza.
  if (out.length > SIZE) out = Buffer.allocUnsafeSlow(SIZE);
  return written;
}

function element({ tag, attrs, content }: BinaryNode): void {
  if (!tag) throw new Error('Invalid node: tag cannot be undefined');
  // Attributes that are not text are counted, but not written, as in the library.
  const names = Object.keys(attrs ?? {}).filter((name) => attrs[name] !== undefined && attrs[name] !== null);
  list(2 * names.length + 1 + (content === undefined ? 0 : 1));
  text(tag);
  for (const name of names) {
    const value = attrs[name];
    if (typeof value !== 'string') continue;
    text(name);
    text(value);
  }
  if (content !== undefined) inside(tag, content);
}

function inside(tag: string, content: NonNullable<BinaryNode['content']>): void {
  if (typeof content === 'string') text(content);
  else if (content instanceof Uint8Array) blob(content);
  else if (Array.isArray(content)) {
    const children = content.filter((child) => child && (child.tag || child instanceof Uint8Array || typeof child === 'string'));
    list(children.length);
    for (const child of children) element(child);
  } else throw new Error(`invalid children for header "${tag}": ${content} (${typeof content})`);
}

function text(value: string): void {
  const known = texts.get(value);
  if (known) return bytes(known);
  const made = encodedText(value);
  if (value.length <= MAX_KNOWN_LENGTH) texts.set(value, made);
  bytes(made);
}

const AROUND: BinaryNode = { tag: 'iq', attrs: {} };
const BEFORE = encodedByLibrary(AROUND).length;

const encodedText = (value: string): Uint8Array => Uint8Array.from(encodedByLibrary({ ...AROUND, content: value }).subarray(BEFORE));

function blob(value: Uint8Array): void {
  const size = value.length;
  if (size >= 1 << 20) {
    byte(TAGS.BINARY_32);
    byte(size >>> 24);
    byte(size >>> 16);
    byte(size >>> 8);
  } else if (size >= 256) {
    byte(TAGS.BINARY_20);
    byte(size >>> 16);
    byte(size >>> 8);
  } else byte(TAGS.BINARY_8);
  byte(size);
  bytes(value);
}

function list(size: number): void {
  if (size === 0) return byte(TAGS.LIST_EMPTY);
  if (size < 256) byte(TAGS.LIST_8);
  else {
    byte(TAGS.LIST_16);
    byte(size >>> 8);
  }
  byte(size);
}

function byte(value: number): void {
  makeRoom(1);
  out[length] = value;
  length += 1;
}

function bytes(value: Uint8Array): void {
  makeRoom(value.length);
  out.set(value, length);
  length += value.length;
}

function makeRoom(size: number): void {
  if (length + size <= out.length) return;
  const larger = Buffer.allocUnsafeSlow(2 * (length + size));
  out.copy(larger, 0, 0, length);
  out = larger;
}
