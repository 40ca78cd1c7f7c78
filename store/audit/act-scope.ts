import { AsyncLocalStorage } from 'node:async_hooks';
import type { AuditDraft } from './entry.ts';

export type WriteKind = 'insert' | 'update' | 'delete';

/** An act whose audit entry is stored with the first write of these kinds to this collection. */
export interface Act {
  readonly draft: AuditDraft;
  readonly collection: string;
  readonly kinds: readonly WriteKind[];
  readonly carriers: { readonly collection: string; readonly id: string }[];
}

const scope = new AsyncLocalStorage<Act>();

/** All writes by `work` belong to the act; later effects in another actor, node or timer do not. */
export const withinAct = <T>(act: Act, work: () => T): T => scope.run(act, work);

/** The act that a write belongs to; null if there is no act or its entry is stored already. */
export function actFor(collection: string, kind: WriteKind): Act | null {
  const act = scope.getStore();
  return act && act.collection === collection && act.carriers.length === 0 && act.kinds.includes(kind) ? act : null;
}
