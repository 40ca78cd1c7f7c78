import type { Logger } from 'pino';
import type { Hands, Self } from '../../runtime/actor.ts';
import { unreachable } from '../../runtime/behaviour.ts';
import type { Lease } from '../../runtime/cluster/port.ts';
import type { Agenda, TenantOwner } from '../../store/agenda.ts';
import type { Deliveries, DeliveryRow } from '../../store/deliveries.ts';
import type { WebhookRow } from '../../store/webhooks.ts';
import type { Released } from '../later/release.ts';
import type { Courier, Errand } from './courier.ts';
import { Letter } from './letter.ts';
import { type LookPorts, lookAround } from './look.ts';
import type { TenantEffect, TenantEvent } from './protocol.ts';
import { type Outcome, resultOf } from './schedule.ts';

/** What a tenant needs of the world. */
export interface TenantPorts extends LookPorts {
  readonly deliveries: Deliveries;
  readonly agenda: Agenda;
  readonly courier: Courier;
  /** Sends what the tenant's time has come for; idempotent. */
  release(tenantId: string): Promise<Released>;
  readonly log: Logger;
  /** The name under which this node owns tenants. */
  readonly node: string;
}

/** An attempt whose end could not be stored is due again so soon. */
const AGAIN_MS = 1_000;

/** Carries out what one tenant decided. One incarnation, one owner, one epoch. */
export class TenantHands implements Hands<TenantEffect> {
  readonly #ports: TenantPorts;
  readonly #owner: TenantOwner;
  readonly #self: Self<TenantEvent>;
  readonly #lease: Lease;
  readonly #log: Logger;
  readonly #errands = new Map<string, Errand>();

  constructor(ports: TenantPorts, owner: TenantOwner, self: Self<TenantEvent>, lease: Lease) {
    this.#ports = ports;
    this.#owner = owner;
    this.#self = self;
    this.#lease = lease;
    this.#log = ports.log.child({ tenant: owner.tenantId, epoch: owner.epoch });
  }

  perform(effect: TenantEffect): void {
    if (!this.#lease.isSafe()) return this.#self.hear({ type: 'fenced' });
    switch (effect.do) {
      case 'look':
        return this.#look(effect.round);
      case 'release':
        return this.#then(this.#ports.release(this.#owner.tenantId), (released) => ({ type: 'released', released }));
      case 'take':
        return this.#take(effect.round, effect.webhookId, effect.limit);
      case 'attempt':
        return this.#attempt(effect.webhook, effect.row);
      case 'crossOff':
        return this.#then(this.#ports.agenda.done(this.#owner, effect.rev, effect.dueAt), (isDone) => ({
          type: 'crossedOff',
          isDone,
          dueAt: effect.dueAt,
        }));
      default:
        unreachable(effect);
    }
  }

  /** Requests under way are let go of: whoever owns the tenant next makes them again. */
  release(): void {
    for (const errand of this.#errands.values()) errand.callOff();
    this.#errands.clear();
  }

  #look(round: number): void {
    this.#then(lookAround(this.#ports, this.#owner), (seen) => (seen ? { type: 'looked', round, seen } : { type: 'fenced' }));
  }

  #take(round: number, webhookId: string, limit: number): void {
    const { deliveries, clock } = this.#ports;
    this.#then(deliveries.take(this.#owner, webhookId, limit, clock.now()), (taken) => ({ type: 'taken', round, webhookId, taken }));
  }

  #attempt(webhook: WebhookRow, row: DeliveryRow): void {
    this.#errands.set(row._id, this.#ports.courier.send(new Letter(webhook, row, this.#ended)));
  }

  readonly #ended = ({ webhook, row }: Letter, outcome: Outcome): void => {
    const { deliveries, clock } = this.#ports;
    const now = clock.now();
    const result = resultOf(row, outcome, now);
    this.#errands.delete(row._id);
    deliveries.attempted(this.#owner, row._id, result).then(
      (isOurs) => this.#over(webhook, row, isOurs ? result.next_attempt_at : null),
      (cause) => {
        this.#log.warn({ err: cause, delivery: row._id }, 'the end of an attempt could not be stored; it is made again');
        this.#over(webhook, row, now + AGAIN_MS);
      },
    );
  };

  #over(webhook: WebhookRow, row: DeliveryRow, nextAt: number | null): void {
    this.#self.hear({ type: 'attempted', webhookId: webhook._id, id: row._id, nextAt });
  }

  #then<T>(work: Promise<T>, heard: (result: T) => TenantEvent): void {
    work.then(
      (result) => this.#self.hear(heard(result)),
      (cause) => {
        this.#log.error({ err: cause }, 'the store failed a tenant');
        this.#self.hear({ type: 'storeFailed' });
      },
    );
  }
}
