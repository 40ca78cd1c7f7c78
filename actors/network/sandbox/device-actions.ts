import { unreachable } from '../../../runtime/actor-system/behaviour.ts';
import type { InboundAction, KeptEvent, MessageKey } from '../port.ts';
import type { Act } from './protocol.ts';

export interface ConnectionAction {
  readonly netId: string;
  readonly target: MessageKey;
  readonly act: Act;
  readonly audience?: readonly string[];
}

export function receivedAs(act: Act, about: InboundAction): KeptEvent {
  switch (act.kind) {
    case 'reaction':
      return { type: 'reaction', ...about, emoji: act.emoji };
    case 'edited':
      return { type: 'edited', ...about, body: act.body };
    case 'deleted':
      return { type: 'deleted', ...about };
    case 'vote':
      return { type: 'vote', ...about, choices: act.choices };
    default:
      return unreachable(act);
  }
}
