import type { Clock } from '../../../runtime/clock.ts';
import { type ChatTimers, timerIn } from '../../../store/conversations/chat-timers.ts';
import type { Chats } from '../../../store/conversations/chats.ts';
import type { Owner } from '../../../store/messaging/messages.ts';
import type { ChatTimer } from '../../../store/messaging/timed.ts';
import { timerOf } from '../../domain/message-timers.ts';
import type { NetworkFact } from '../../network/facts.ts';
import type { GroupRecord } from '../../network/groups.ts';
import type { InboundMessage } from '../../network/port.ts';
import type { AnswerOf, InputOf, QuestionName } from '../../network/questions.ts';
import { newChat } from '../../services/conversations/outbox-handler.ts';

export interface DeviceTimersDeps {
  readonly chats: Pick<Chats, 'find' | 'open'>;
  readonly chatTimers: ChatTimers;
  readonly clock: Clock;
}

export interface LearnsTimers {
  /** Ignores outdated settings. A time in the future is treated as the current time. */
  learn(chatId: string, timer: ChatTimer): Promise<void>;
  /** In one-to-one chats, messages say when the timer was set. In groups, only the server does. */
  learnFrom(chatId: string, message: Pick<InboundMessage, 'timerAt' | 'extras' | 'at'>): Promise<void>;
  learnFacts(facts: readonly NetworkFact[], at: number): Promise<void>;
}

const MAX_TIMED = 10_000;

export class DeviceTimers implements LearnsTimers {
  readonly #deps: DeviceTimersDeps;
  readonly #owner: Owner;
  readonly #on = new Map<string, ChatTimer>();

  constructor(deps: DeviceTimersDeps, owner: Owner) {
    this.#deps = deps;
    this.#owner = owner;
  }

  async load(): Promise<void> {
    const { tenantId, sessionId } = this.#owner;
    const known = await this.#deps.chatTimers.on(tenantId, sessionId, MAX_TIMED);
    this.#on.clear();
    for (const [chatId, timer] of known) this.#note(chatId, timer);
  }

  readonly of = (chatId: string): ChatTimer | null => this.#on.get(chatId) ?? null;

  async learn(chatId: string, { seconds, at }: ChatTimer): Promise<void> {
    const { chats, chatTimers, clock } = this.#deps;
    const { tenantId, sessionId } = this.#owner;
    const now = clock.now();
    const timer = { seconds, at: Math.min(at, now) };
    const known = this.#on.get(chatId);
    if (timerOf(seconds) === null || (known && (known.at > timer.at || (known.at === timer.at && known.seconds === seconds)))) return;
    const isSet = await chatTimers.set(tenantId, sessionId, chatId, timer);
    if (!isSet && seconds > 0 && !(await chats.find(tenantId, sessionId, chatId))) {
      await chats.open(newChat({ tenant_id: tenantId, session_id: sessionId, chat_id: chatId, created_at: now }, now));
      await chatTimers.set(tenantId, sessionId, chatId, timer);
    }
    const stored = await chats.find(tenantId, sessionId, chatId);
    if (stored) this.#note(chatId, timerIn(stored));
  }

  async learnFrom(chatId: string, { timerAt, extras, at }: Pick<InboundMessage, 'timerAt' | 'extras' | 'at'>): Promise<void> {
    if (timerAt === undefined || chatId.endsWith('@g.us')) return;
    await this.learn(chatId, { seconds: extras?.ephemeral ?? 0, at: Math.min(timerAt, at) });
  }

  async learnFacts(facts: readonly NetworkFact[], at: number): Promise<void> {
    for (const fact of facts) {
      if (fact.fact === 'group.joined') await this.#learnGroup(fact.group, at);
      else if (fact.fact === 'group.updated' && fact.changed.ephemeral !== undefined)
        await this.learn(fact.group_id, { seconds: fact.changed.ephemeral, at });
    }
  }

  async learnAnswer<N extends QuestionName>(name: N, input: InputOf<N>, answer: AnswerOf<N>, askedAt: number): Promise<void> {
    if (name === 'timers.set' && 'chat' in input && 'seconds' in input)
      await this.learn(input.chat, { seconds: input.seconds, at: askedAt });
    if (name === 'groups.set' && 'id' in input && 'change' in input && input.change.ephemeral !== undefined)
      await this.learn(input.id, { seconds: input.change.ephemeral, at: askedAt });
    if (name === 'groups.get' && isGroup(answer)) await this.#learnGroup(answer, askedAt);
    if (name === 'groups.list' && Array.isArray(answer)) for (const one of answer) if (isGroup(one)) await this.#learnGroup(one, askedAt);
  }

  /** The network does not report when a group's timer was set, so `at` is used instead. */
  async #learnGroup({ id, ephemeral }: GroupRecord, at: number): Promise<void> {
    if (ephemeral !== (this.of(id)?.seconds ?? 0)) await this.learn(id, { seconds: ephemeral, at });
  }

  #note(chatId: string, timer: ChatTimer): void {
    this.#on.delete(chatId);
    if (timer.seconds === 0) return;
    const [oldest] = this.#on.keys();
    if (this.#on.size >= MAX_TIMED && oldest !== undefined) this.#on.delete(oldest);
    this.#on.set(chatId, timer);
  }
}

const isGroup = (answer: unknown): answer is GroupRecord =>
  typeof answer === 'object' && answer !== null && 'ephemeral' in answer && 'subject' in answer;
