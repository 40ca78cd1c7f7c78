import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * The web client's own grammar: what its builders write and what its parsers read, as a public project extracts it
 * from each build. The files are not part of this repository. They are in a directory next to it, including on the CI
 * machine.
 */
const FOLDER = resolve(import.meta.dirname, '../../../../shared/facts/network-2026');

export interface WrittenAttribute {
  readonly name: string;
  /** `const`, `string`, `integer`, `user_jid`, `dynamic`, …. A `dynamic` value may be omitted. */
  readonly kind: string;
  readonly value?: string;
  readonly required: boolean;
}

/** A part of a stanza that a builder writes. `children` is absent if the extraction did not analyze the content. */
export interface WrittenPart {
  readonly tag?: string;
  readonly attrs?: readonly WrittenAttribute[];
  readonly children?: readonly WrittenPart[];
  readonly repeats?: boolean;
  readonly content?: { readonly kind: string; readonly byteLength?: number };
  readonly variantGroups?: readonly { readonly variants: readonly WrittenPart[] }[];
}

/** A whole stanza, or a fragment that is merged into the stanzas of the same module family. */
export interface WrittenStanza extends WrittenPart {
  readonly stanzaType: string;
  readonly moduleName: string;
  readonly fragment?: boolean;
}

/** A check that a parser makes on a node before reading it. */
export interface Assertion {
  readonly kind: string;
  readonly name: string;
  readonly value?: string;
}

/** A field that a parser reads from a node: an attribute, a child, its content, or one of several forms. */
export interface ReadField {
  readonly method: string;
  readonly type: string;
  readonly name: string;
  /** Name on the wire, if it differs from the field's name. */
  readonly wireName?: string;
  readonly tag?: string;
  readonly required: boolean;
  readonly repeats?: boolean;
  /** Tags of the children that lead to the node to read. */
  readonly sourcePath?: readonly string[];
  readonly sameNode?: boolean;
  readonly children?: readonly ReadField[];
  readonly unionVariants?: readonly ReadForm[];
  readonly literalValue?: string;
  readonly enumKeys?: readonly string[];
  readonly enumRef?: { readonly variants: readonly { readonly value: string }[] };
  readonly intMin?: number;
  readonly intMax?: number;
  readonly byteLength?: number;
  readonly byteMin?: number;
  readonly byteMax?: number;
}

/** An error that the client handles separately: one code or a range. */
export interface ErrorArm {
  readonly code?: number;
  readonly text?: string;
  readonly codeMin?: number;
  readonly codeMax?: number;
}

/** One possible form of a response. */
export interface ReadForm {
  readonly assertions?: readonly Assertion[];
  readonly fields: readonly ReadField[];
  readonly kind?: string;
  readonly errorArms?: readonly ErrorArm[];
}

/** A query to the server with its possible responses. */
export interface Question {
  readonly moduleName: string;
  readonly namespace: string;
  readonly iqType: string;
  readonly request: { readonly target: string | null; readonly children: readonly WrittenPart[] };
  readonly response: ReadForm & { readonly variants?: readonly ReadForm[] };
}

/** A stanza that the client parses. */
export interface ReadStanza {
  readonly tag: string;
  readonly module: string;
  readonly shape: ReadForm & { readonly parserName: string };
}

export interface GrammarFiles {
  readonly written: readonly WrittenStanza[];
  readonly read: readonly ReadStanza[];
  readonly questions: readonly Question[];
}

let files: GrammarFiles | null = null;

/** Whether the grammar files exist next to this repository. */
export const hasGrammar = (): boolean => existsSync(FOLDER);

/** Returns the grammar files, read once per process. */
export function grammarFiles(): GrammarFiles {
  const json = (name: string) => JSON.parse(readFileSync(join(FOLDER, name), 'utf8'));
  files ??= { written: json('outgoing.json').stanzas, read: json('incoming.json').incoming, questions: json('iq.json').stanzas };
  return files;
}

/** Returns the web client's protocol definition, which describes the decrypted content of messages. */
export const definitionText = (): string => readFileSync(join(FOLDER, 'WAProto.proto'), 'utf8');
