import { AsyncLocalStorage } from 'node:async_hooks';
import type { AuditDraft } from './entry.ts';

export type WriteKind = 'insert' | 'update' | 'delete';

export interface Act {
  readonly draft: AuditDraft;
  readonly collection: string;
  readonly kinds: readonly WriteKind[];
  readonly carriers: { readonly collection: string; readonly id: string }[];
}

const scope = new AsyncLocalStorage<Act>();

/** Runs `work` as part of one audited action. Other actors, nodes and timers are not part of it. */
export const withinAct = <T>(act: Act, work: () => T): T => scope.run(act, work);

export function actFor(collection: string, kind: WriteKind): Act | null {
  const act = scope.getStore();
  return act && act.collection === collection && act.carriers.length === 0 && act.kinds.includes(kind) ? act : null;
}
