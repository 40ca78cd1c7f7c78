import type { Clock } from '../../../../runtime/clock.ts';
import { FairSlots } from '../../../../runtime/fair-slots.ts';
import type { Vector } from '../retrieval/vectors.ts';
import { CircuitBreaker } from './breaker.ts';
import { type EngineClient, EngineFailure } from './engine-client.ts';

export interface Embedder {
  readonly model: string;
  /** Returns vectors of one dimension for at most MAX_TOGETHER texts. Null if the service is unavailable. */
  passages(tenantId: string, texts: readonly string[]): Promise<readonly Vector[] | null>;
  /** Returns null if the service is unavailable. The timeout is short, because a customer waits. */
  question(tenantId: string, text: string): Promise<Vector | null>;
}

export interface EmbedderDeps {
  readonly client: Pick<EngineClient, 'embed'>;
  readonly model: string;
  readonly clock: Clock;
  failed(cause: EngineFailure, tenantId: string): void;
}

export const MAX_TOGETHER = 32;
const MAX_TEXT = 6_000;
const QUESTION_WITHIN_MS = 4_000;
const CALLS = 16;
const SHARE = 4;
const MAX_WAITING = 16;

export function createEmbedder({ client, model, clock, failed }: EmbedderDeps): Embedder {
  const breaker = new CircuitBreaker();
  const full = () => new EngineFailure('too many embeddings of this tenant are waiting');
  const slots = new FairSlots({ slots: CALLS, share: SHARE, waiting: MAX_WAITING, full });

  async function called(texts: readonly string[], withinMs?: number): Promise<readonly Vector[] | null> {
    if (!breaker.mayTry(clock.now())) return null;
    try {
      const vectors = await client.embed(
        texts.map((text) => text.slice(0, MAX_TEXT)),
        withinMs,
      );
      breaker.succeeded();
      return vectors;
    } catch (cause) {
      if (cause instanceof EngineFailure && cause.isOfRequest) breaker.refused();
      else breaker.failed(clock.now());
      throw cause;
    }
  }

  async function embedded(tenantId: string, texts: readonly string[], withinMs?: number): Promise<readonly Vector[] | null> {
    try {
      return await slots.run(tenantId, () => called(texts, withinMs));
    } catch (cause) {
      if (!(cause instanceof EngineFailure)) throw cause;
      failed(cause, tenantId);
      return null;
    }
  }

  return {
    model,
    passages: (tenantId, texts) => embedded(tenantId, texts),
    question: async (tenantId, text) => (await embedded(tenantId, [text], QUESTION_WITHIN_MS))?.[0] ?? null,
  };
}
