import type { ActorKind, ActorRef, Self } from '../../../runtime/actor-system/actor.ts';
import {
  after,
  type Behaviour,
  type CoreEffect,
  cancel,
  type ReplyTo,
  reply,
  type Step,
  stop,
  unreachable,
} from '../../../runtime/actor-system/behaviour.ts';
import { ActorSystem } from '../../../runtime/actor-system/system.ts';
import type { Clock } from '../../../runtime/clock.ts';
import { VirtualClock } from '../../../runtime/testing/virtual-clock.ts';

export type NotebookCommand =
  | { readonly type: 'note'; readonly word: string }
  /** Notes the word, and again in brackets when its echo comes back. */
  | { readonly type: 'shout'; readonly word: string }
  | { readonly type: 'later'; readonly key: string; readonly ms: number; readonly word: string }
  | { readonly type: 'never'; readonly key: string }
  | { readonly type: 'boom' }
  | { readonly type: 'leave' }
  | { readonly type: 'blast'; readonly replyTo: ReplyTo<string> }
  | { readonly type: 'ponder'; readonly replyTo: ReplyTo<string> }
  | { readonly type: 'write'; readonly word: string; readonly replyTo: ReplyTo<number> }
  | { readonly type: 'recall'; readonly replyTo: ReplyTo<readonly string[]> };

export type NotebookEvent = { readonly type: 'received'; readonly word: string };
export type NotebookEffect = { readonly do: 'echo'; readonly word: string };
export type NotebookStep = Step<readonly string[], NotebookEffect | CoreEffect<NotebookEvent>>;
export type NotebookKind = ActorKind<readonly string[], readonly string[], NotebookCommand, NotebookEvent, NotebookEffect>;

export const notebook: Behaviour<readonly string[], readonly string[], NotebookCommand, NotebookEvent, NotebookEffect> = {
  kind: 'notebook',
  start: (words) => [words],
  canSleep: (words) => !words.includes('coffee'),

  handle(words, msg): NotebookStep {
    switch (msg.type) {
      case 'note':
      case 'received':
        return [[...words, msg.word]];
      case 'shout':
        return [[...words, msg.word], { do: 'echo', word: `(${msg.word})` }];
      case 'later':
        return [words, after(msg.key, msg.ms, { type: 'received', word: msg.word })];
      case 'never':
        return [words, cancel(msg.key)];
      case 'write':
        return [[...words, msg.word], reply(msg.replyTo, words.length + 1)];
      case 'recall':
        return [words, reply(msg.replyTo, words)];
      case 'ponder':
        return [words];
      case 'leave':
        return [words, stop];
      case 'boom':
      case 'blast':
        throw new Error(msg.type);
      default:
        return unreachable(msg);
    }
  },
};

/** A system with one kind of actor, a notebook, that starts empty and writes down what it receives. */
export function aNotebook(changes: Partial<NotebookKind> = {}, runtimeClock?: Clock) {
  const clock = new VirtualClock();
  const story: string[] = [];
  const selves: Self<NotebookEvent>[] = [];
  const system = new ActorSystem(runtimeClock ?? clock, {
    onFailure: (kind, id, cause) => story.push(`${kind} ${id} failed: ${(cause as Error).message}`),
    onEscalate: (kind, id) => story.push(`${kind} ${id} gave up`),
  });
  system.register<readonly string[], readonly string[], NotebookCommand, NotebookEvent, NotebookEffect>({
    behaviour: notebook,
    policy: { restart: 'transient', atMost: 2, withinMs: 10_000, backoffMs: (failures) => failures * 100 },
    mailboxLimit: 3,
    wake: () => [],
    effectHandler(id, self) {
      selves.push(self);
      story.push(`${id} starts`);
      return { perform: ({ word }) => self.receive({ type: 'received', word }), release: () => story.push(`${id} ends`) };
    },
    ...changes,
  });
  const ref = (id = 'n1'): ActorRef<NotebookCommand> => system.ref('notebook', id);
  const words = (id = 'n1'): Promise<readonly string[]> => ref(id).ask({ type: 'recall' });
  return { clock, system, story, selves, ref, words };
}

/** A promise and the way to settle it. */
export const aPromise = <T>(): PromiseWithResolvers<T> => Promise.withResolvers<T>();
