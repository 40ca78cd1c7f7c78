import type { Owner } from '../../../store/messaging/messages.ts';
import type { ReceivedActionRow, ReceivedActions } from '../../../store/messaging/received-actions.ts';

/** Edits, deletions and stars that arrive before their message are kept in the store until then. */

interface Actions {
  readonly receivedActions: ReceivedActions;
}

export async function keepChange({ receivedActions }: Actions, owner: Owner, action: ReceivedActionRow): Promise<void> {
  if (await receivedActions.apply(owner, action)) return;
  await receivedActions.keep(action);
  // The message may have been stored just before the action was, so apply the action now.
  if (await receivedActions.apply(owner, action)) await receivedActions.forget([action]);
}

export async function catchUp({ receivedActions }: Actions, owner: Owner, netIds: readonly string[]): Promise<void> {
  const waiting = await receivedActions.kept(owner.sessionId, netIds);
  const applied: ReceivedActionRow[] = [];
  for (const action of waiting) if (await receivedActions.apply(owner, action)) applied.push(action);
  // Keep actions that were not applied, because they may belong to another message with this id.
  await receivedActions.forget(applied);
}
