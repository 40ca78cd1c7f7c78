import { unreachable } from '../../../runtime/actor-system/behaviour.ts';
import type { Act, MessageMarks } from './protocol.ts';

export class MessageReceipts implements MessageMarks {
  readonly reactions = new Map<string, string>();
  readonly votes = new Map<string, readonly string[]>();
  readonly seenBy = new Set<string>();
  body: string | null = null;
  deleted = false;
  readonly given: { delivered?: number; read?: number; played?: number } = {};

  take({ from, act }: { readonly from: string; readonly act: Act }): void {
    switch (act.kind) {
      case 'reaction':
        return void (act.emoji === '' ? this.reactions.delete(from) : this.reactions.set(from, act.emoji));
      case 'vote':
        return void (act.choices.length === 0 ? this.votes.delete(from) : this.votes.set(from, act.choices));
      case 'edited':
        this.body = act.body;
        break;
      case 'deleted':
        this.deleted = true;
        break;
      default:
        unreachable(act);
    }
  }
}
