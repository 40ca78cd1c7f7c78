import type { Clock } from '../../../../runtime/clock.ts';
import { FairSlots } from '../../../../runtime/fair-slots.ts';
import type { Random } from '../../../../runtime/random.ts';
import { cut } from '../../../domain/cut.ts';
import type { Source } from '../retrieval/knowledge.ts';
import type { Language } from '../retrieval/question.ts';
import { CircuitBreaker } from './breaker.ts';
import { readAnswer } from './engine-answer.ts';
import { type EngineClient, EngineFailure } from './engine-client.ts';
import { unmarked, type Void, voidOf } from './grounding.ts';
import { type Brief, MAX_PASSAGE, promptOf } from './prompt.ts';

export interface EngineInquiry extends Pick<Brief, 'persona' | 'question' | 'history'> {
  readonly tenantId: string;
  readonly language: Language;
  readonly sources: readonly Source[];
}

/** `void`: the answer was rejected, because the cited passages do not support its claims. */
export type Verdict =
  | { readonly kind: 'answer'; readonly text: string; readonly sources: readonly Source[] }
  | { readonly kind: 'silent' }
  | { readonly kind: 'handoff' }
  | { readonly kind: 'void'; readonly why: Void | 'no_source' };

/** An external model. Its answers are not trusted (grounding.ts). */
export interface Engine {
  isReady(): boolean;
  /** Returns null if the engine is unavailable. A reply is then composed locally. */
  answer(inquiry: EngineInquiry): Promise<Verdict | null>;
}

export interface EngineDeps {
  readonly client: Pick<EngineClient, 'chat'>;
  readonly clock: Clock;
  readonly random: Random;
  failed(cause: EngineFailure, tenantId: string): void;
}

const CALLS = 32;
const SHARE = 8;
const MAX_WAITING = 16;

export function createEngine({ client, clock, random, failed }: EngineDeps): Engine {
  const breaker = new CircuitBreaker();
  const full = () => new EngineFailure('too many calls of this tenant are waiting');
  const slots = new FairSlots({ slots: CALLS, share: SHARE, waiting: MAX_WAITING, full });

  async function called(tenantId: string, brief: Brief): Promise<string | null> {
    if (!breaker.mayTry(clock.now())) return null;
    try {
      const content = await client.chat(promptOf(brief));
      breaker.succeeded();
      return content;
    } catch (cause) {
      if (cause instanceof EngineFailure && cause.isOfRequest) breaker.refused();
      else breaker.failed(clock.now());
      if (!(cause instanceof EngineFailure)) throw cause;
      failed(cause, tenantId);
      return null;
    }
  }

  return {
    isReady: () => breaker.isClosed(),

    async answer({ tenantId, sources, ...inquiry }) {
      const passages = sources.map(({ name, text }) => ({ name, text }));
      try {
        const content = await slots.run(tenantId, () => called(tenantId, { ...inquiry, passages, marker: markerOf(random) }));
        return content === null ? null : verdictOf(content, sources, inquiry);
      } catch (cause) {
        if (!(cause instanceof EngineFailure)) throw cause;
        failed(cause, tenantId);
        return null;
      }
    },
  };
}

function verdictOf(content: string, sources: readonly Source[], asked: Pick<EngineInquiry, 'question' | 'language'>): Verdict {
  const { answer, sources: numbers, handoff } = readAnswer(content);
  if (handoff) return { kind: 'handoff' };
  if (answer === null) return { kind: 'silent' };
  const cited = [...new Set(numbers)].map((number) => sources[number - 1]);
  const known = cited.filter((one) => one !== undefined);
  if (known.length === 0 || known.length < cited.length) return { kind: 'void', why: 'no_source' };
  if (answer.length > LONGEST_MARKED) return { kind: 'void', why: 'too_long' };
  const text = unmarked(answer);
  const why = voidOf(
    text,
    known.map(({ name, text: passage }) => `${name}\n${cut(passage, MAX_PASSAGE)}`),
    asked,
  );
  return why === null ? { kind: 'answer', text, sources: known } : { kind: 'void', why };
}

const LONGEST_MARKED = 4_000;

const markerOf = (random: Random): string => `#${[random(), random()].map((one) => Math.floor(one * 36 ** 8).toString(36)).join('')}#`;
