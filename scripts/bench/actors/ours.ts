import type { ActorKind } from '../../../runtime/actor-system/actor.ts';
import { type CoreEffect, type ReplyTo, reply, type Step } from '../../../runtime/actor-system/behaviour.ts';
import { ActorSystem } from '../../../runtime/actor-system/system.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { perform, type Tell, type Troupe } from './workload.ts';

type Command = Tell | { readonly type: 'sum'; readonly replyTo: ReplyTo<number> };

function adder(received: () => void): ActorKind<undefined, number, Command, never, never> {
  const hands = { perform() {} };
  return {
    behaviour: {
      kind: 'adder',
      start: () => [0],
      handle(sum, message): Step<number, CoreEffect<never>> {
        if (message.type === 'sum') return [sum, reply(message.replyTo, sum)];
        received();
        return [sum + message.by];
      },
    },
    policy: { restart: 'permanent', atMost: 5, withinMs: 1_000, backoffMs: () => 100 },
    mailboxLimit: 1_000_000,
    wake: () => undefined,
    effectHandler: () => hands,
  };
}

function make(count: number, received: () => void): Troupe {
  const system = new ActorSystem(systemClock);
  system.register(adder(received));
  const actors = Array.from({ length: count }, (_, i) => system.ref<Command>('adder', `adder ${i}`));
  return {
    tell: (index, message) => actors[index]!.tell(message),
    ask: (index) => actors[index]!.ask({ type: 'sum' }),
  };
}

await perform(make);
