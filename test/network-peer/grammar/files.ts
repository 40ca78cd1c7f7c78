import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * The web client's own grammar: what its builders write and what its parsers read, as a public project
 * extracts it from each build. The files are no part of this repository; they lie beside it, where the
 * machine of CI has them.
 */
const FOLDER = resolve(import.meta.dirname, '../../../../shared/facts/network-2026');

export interface WrittenAttribute {
  readonly name: string;
  /** `const`, `string`, `integer`, `user_jid`, `dynamic`, …; what is dynamic may be left out. */
  readonly kind: string;
  readonly value?: string;
  readonly required: boolean;
}

/** A part of a stanza that a builder writes. Without children: the extraction did not look inside. */
export interface WrittenPart {
  readonly tag?: string;
  readonly attrs?: readonly WrittenAttribute[];
  readonly children?: readonly WrittenPart[];
  readonly repeats?: boolean;
  readonly content?: { readonly kind: string; readonly byteLength?: number };
  readonly variantGroups?: readonly { readonly variants: readonly WrittenPart[] }[];
}

/** A stanza of its own, or a fragment that is merged into the stanzas of its family of modules. */
export interface WrittenStanza extends WrittenPart {
  readonly stanzaType: string;
  readonly moduleName: string;
  readonly fragment?: boolean;
}

/** What a parser asserts of a node before it reads it. */
export interface Assertion {
  readonly kind: string;
  readonly name: string;
  readonly value?: string;
}

/** What a parser reads of a node: an attribute, a child, its content, or one of several forms. */
export interface ReadField {
  readonly method: string;
  readonly type: string;
  readonly name: string;
  /** The name on the wire, where the field is called otherwise. */
  readonly wireName?: string;
  readonly tag?: string;
  readonly required: boolean;
  readonly repeats?: boolean;
  /** Tags of children on the way to the node that is read. */
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

/** A refusal that the client tells from others: one code, or a range. */
export interface ErrorArm {
  readonly code?: number;
  readonly text?: string;
  readonly codeMin?: number;
  readonly codeMax?: number;
}

/** One form that an answer may have. */
export interface ReadForm {
  readonly assertions?: readonly Assertion[];
  readonly fields: readonly ReadField[];
  readonly kind?: string;
  readonly errorArms?: readonly ErrorArm[];
}

/** A question to the server and its answers. */
export interface Question {
  readonly moduleName: string;
  readonly namespace: string;
  readonly iqType: string;
  readonly request: { readonly target: string | null; readonly children: readonly WrittenPart[] };
  readonly response: ReadForm & { readonly variants?: readonly ReadForm[] };
}

/** Stanzas that the client parses. */
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

/** Whether the files lie beside this repository. */
export const hasGrammar = (): boolean => existsSync(FOLDER);

/** Read once for each process. */
export function grammarFiles(): GrammarFiles {
  const json = (name: string) => JSON.parse(readFileSync(join(FOLDER, name), 'utf8'));
  files ??= { written: json('outgoing.json').stanzas, read: json('incoming.json').incoming, questions: json('iq.json').stanzas };
  return files;
}

/** The web client's protocol definition: what lies inside ciphertexts. */
export const definitionText = (): string => readFileSync(join(FOLDER, 'WAProto.proto'), 'utf8');
