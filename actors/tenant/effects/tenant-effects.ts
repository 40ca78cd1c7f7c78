import type { Logger } from 'pino';
import type { EffectHandler, Self } from '../../../runtime/actor-system/actor.ts';
import { unreachable } from '../../../runtime/actor-system/behaviour.ts';
import type { Cancel } from '../../../runtime/clock.ts';
import type { TenantOwner, Wakeups } from '../../../store/scheduling/wakeups.ts';
import type { Attempted, Deliveries, DeliveryAttempt, Room, WaitingDelivery } from '../../../store/webhooks/deliveries.ts';
import type { OpenedWebhook, WebhookRow } from '../../../store/webhooks/webhooks.ts';
import { type Outcome, paceOf, resultOf } from '../../services/webhooks/retry-schedule.ts';
import { SignedDelivery } from '../../services/webhooks/signed-delivery.ts';
import type { InFlightRequest, WebhookClient } from '../../services/webhooks/webhook-client.ts';
import { MAX_ANSWERING } from '../behaviour/questions.ts';
import type { Released, TenantEffect, TenantEvent } from '../protocol.ts';
import { loadSnapshot, type SnapshotDeps } from './load-snapshot.ts';

export interface DueReplies {
  due(tenantId: string, limit: number): Promise<{ readonly chats: readonly string[]; readonly nextAt: number | null }>;
  /** Answers a chat. `isOurs` returns whether this node may still send messages. Idempotent. */
  answer(tenantId: string, chat: string, isOurs: () => boolean): Promise<void>;
}

export interface TenantEffectsDeps extends SnapshotDeps {
  readonly deliveries: Deliveries;
  readonly wakeups: Wakeups;
  readonly webhookClient: WebhookClient;
  release(tenantId: string): Promise<Released>;
  bill(tenantId: string): Promise<Released>;
  readonly aiReplies: DueReplies;
  readonly log: Logger;
  attempted(row: WaitingDelivery, result: Attempted, now: number): void;
  readonly node: string;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** Reads more chats than can be answered at once, because chats in progress come first. */
const CHATS_A_LOOK = 2 * MAX_ANSWERING;

export class TenantEffects implements EffectHandler<TenantEffect> {
  readonly #deps: TenantEffectsDeps;
  readonly #owner: TenantOwner;
  readonly #self: Self<TenantEvent>;
  readonly #log: Logger;
  readonly #inFlight = new Map<string, InFlightRequest>();
  readonly #retries = new Set<Cancel>();
  readonly #failures = new Map<string, number>();
  #unreadable: readonly string[] = [];
  #isReleased = false;

  constructor(deps: TenantEffectsDeps, owner: TenantOwner, self: Self<TenantEvent>) {
    this.#deps = deps;
    this.#owner = owner;
    this.#self = self;
    this.#log = deps.log.child({ tenant: owner.tenantId, epoch: owner.epoch });
  }

  perform(effect: TenantEffect): void {
    switch (effect.do) {
      case 'poll':
        return this.#poll(effect.round, effect.known);
      case 'release':
        return this.#then(this.#deps.release(this.#owner.tenantId), (released) => ({ type: 'released', released }));
      case 'bill':
        return this.#then(this.#deps.bill(this.#owner.tenantId), (released) => ({ type: 'billed', released }));
      case 'findQuestions':
        return this.#then(this.#deps.aiReplies.due(this.#owner.tenantId, CHATS_A_LOOK), (found) => ({ type: 'questionsFound', ...found }));
      case 'answerChat':
        return this.#answerChat(effect.chat);
      case 'take':
        return this.#take(effect.round, effect.webhookId, effect.room);
      case 'attempt':
        return this.#attempt(effect.webhook, effect.row);
      case 'ackWakeup':
        return this.#then(this.#deps.wakeups.done(this.#owner, effect.rev, effect.dueAt), (isDone) => ({
          type: 'wakeupAcked',
          isDone,
          dueAt: effect.dueAt,
        }));
      default:
        unreachable(effect);
    }
  }

  /** Drops requests in flight. The tenant's next owner makes them again. */
  release(): void {
    for (const request of this.#inFlight.values()) request.callOff();
    this.#inFlight.clear();
    for (const cancel of this.#retries) cancel();
    this.#retries.clear();
    this.#isReleased = true;
  }

  #poll(round: number, known: readonly string[]): void {
    this.#then(loadSnapshot(this.#deps, this.#owner, known), (seen) => {
      if (seen === null) return { type: 'fenced' };
      this.#noteUnreadable(seen.webhooks);
      return { type: 'snapshotLoaded', round, snapshot: seen };
    });
  }

  #noteUnreadable(webhooks: readonly OpenedWebhook[]): void {
    const unreadable = webhooks.filter(({ secret }) => secret === null).map(({ _id }) => _id);
    for (const webhook of unreadable.filter((id) => !this.#unreadable.includes(id)))
      this.#log.error({ event: 'webhook.secret_unreadable', webhook }, 'the secret of a webhook cannot be decrypted; its deliveries wait');
    this.#unreadable = unreadable;
  }

  #answerChat(chat: string): void {
    const over = (): void => this.#self.receive({ type: 'chatAnswered', chat });
    const answered = (): void => {
      this.#failures.delete(chat);
      over();
    };
    const failed = (cause: unknown): void => {
      this.#log.error({ event: 'ai.answer_delayed', err: cause, chat }, 'a chat could not be answered; this will be retried');
      const failures = this.#failures.get(chat) ?? 0;
      this.#failures.set(chat, failures + 1);
      this.#retryAfter(failures, over);
    };
    this.#deps.aiReplies.answer(this.#owner.tenantId, chat, () => !this.#isReleased).then(answered, failed);
  }

  #take(round: number, webhookId: string, room: Room): void {
    const { deliveries, clock } = this.#deps;
    this.#then(deliveries.take(this.#owner, webhookId, room, clock.now()), (taken) => ({ type: 'taken', round, webhookId, taken }));
  }

  #attempt(webhook: WebhookRow, row: WaitingDelivery): void {
    this.#inFlight.set(row._id, this.#deps.webhookClient.send(new SignedDelivery(webhook, row, this.#ended)));
  }

  readonly #ended = ({ webhook, row }: SignedDelivery, outcome: Outcome): void => {
    const { deliveries, clock } = this.#deps;
    const now = clock.now();
    const result = resultOf(row, outcome, now);
    this.#inFlight.delete(row._id);
    this.#deps.attempted(row, result, now);
    const attempt = attemptOf(result, outcome, now);
    // The delivery stays in flight until the result is stored. Otherwise, it would be sent again.
    const store = (failures: number): void => {
      deliveries.attempted(this.#owner, row, result, attempt).then(
        (nextAt) => this.#self.receive({ type: 'attempted', webhookId: webhook._id, id: row._id, nextAt, pace: paceOf(outcome) }),
        (cause) => {
          this.#log.warn(
            { event: 'webhook.attempt_not_stored', err: cause, delivery: row._id },
            'the result of an attempt could not be stored; this will be retried',
          );
          this.#retryAfter(failures, () => store(failures + 1));
        },
      );
    };
    store(0);
  };

  #retryAfter(failures: number, retry: () => void): void {
    if (this.#isReleased) return;
    const cancel = this.#deps.clock.after(Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS), () => {
      this.#retries.delete(cancel);
      retry();
    });
    this.#retries.add(cancel);
  }

  #then<T>(work: Promise<T>, received: (result: T) => TenantEvent): void {
    work.then(
      (result) => this.#self.receive(received(result)),
      (cause) => {
        this.#log.error({ event: 'tenant.store_error', err: cause }, 'tenant: store error');
        this.#self.receive({ type: 'storeFailed' });
      },
    );
  }
}

const attemptOf = ({ response_status, error }: Attempted, { durationMs, body }: Outcome, at: number): DeliveryAttempt => ({
  at,
  response_status,
  error,
  duration_ms: durationMs,
  body,
});
