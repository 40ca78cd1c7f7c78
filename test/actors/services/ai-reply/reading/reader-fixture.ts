import { createDocumentReader, type DocumentFile, type DocumentReader } from '../../../../../actors/services/ai-reply/reading/reader.ts';
import type { DocumentType } from '../../../../../store/ai-reply/documents.ts';
import { readingAttemptsIn } from '../../../../../store/ai-reply/reading-attempts.ts';
import type { Store } from '../../../../../store/port.ts';
import { type SomeChildren, someChildren } from '../../../../runtime/child-processes/children-fixture.ts';
import { embedded, type Scope } from '../../../../support/stores.ts';

interface Options {
  readonly limits?: Parameters<typeof createDocumentReader>[1];
  readonly children?: SomeChildren;
  /** Prepared once `readingAttemptsIn` was called. */
  readonly store?: Store;
  readonly now?: () => number;
  readonly zone?: string;
}

/** A reader over a store and a runner of its own, unless they are given. */
export async function aReader(scope: Scope, { limits, zone = 'UTC', now = Date.now, ...given }: Options = {}): Promise<DocumentReader> {
  const children = given.children ?? (await someChildren(scope));
  const store = given.store ?? (await embedded.fresh(scope));
  const attempts = readingAttemptsIn(store);
  await store.prepare();
  return createDocumentReader({ children, attempts, zoneOf: async () => zone, now }, limits);
}

export const fileOf = (ext: DocumentType, file: string | Uint8Array): DocumentFile => ({
  ext,
  open: (stage) => stage([typeof file === 'string' ? Buffer.from(file) : file]),
});
