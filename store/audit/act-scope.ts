import { AsyncLocalStorage } from 'node:async_hooks';
import type { AuditDraft } from './entry.ts';

export type WriteKind = 'insert' | 'update' | 'delete';

/** An act under way: its entry is stored with the first write of these kinds to this collection. */
export interface Act {
  readonly draft: AuditDraft;
  readonly collection: string;
  readonly kinds: readonly WriteKind[];
  /** Rows that hold the entry by now. */
  readonly carriers: { readonly collection: string; readonly id: string }[];
}

const scope = new AsyncLocalStorage<Act>();

/** Runs `work`; what it writes, however deep, belongs to the act. What it only causes (another actor, another node, a timer) does not. */
export const withinAct = <T>(act: Act, work: () => T): T => scope.run(act, work);

/** The act that a write of this kind to this collection belongs to; null: none, or its entry is stored already. */
export function actFor(collection: string, kind: WriteKind): Act | null {
  const act = scope.getStore();
  return act && act.collection === collection && act.carriers.length === 0 && act.kinds.includes(kind) ? act : null;
}
