import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newDelivery } from '../../../actors/services/webhooks/new-delivery.ts';
import { tenant } from '../../../actors/tenant/behaviour/tenant.ts';
import type { EndpointPace, Snapshot, TenantCommand, TenantEffect, TenantEvent } from '../../../actors/tenant/protocol.ts';
import type { DeliveryRow } from '../../../store/webhooks/deliveries.ts';
import type { WebhookRow } from '../../../store/webhooks/webhooks.ts';

const NOW = Date.UTC(2026, 0, 1);
const WEBHOOK: WebhookRow = {
  _id: 'wh_1',
  tenant_id: 't',
  url: 'https://example.com/',
  secret: 'secret',
  events: ['message.received'],
  disabled_at: null,
  created_at: NOW,
};

/** Initial number of concurrent requests to a webhook. */
const WINDOW = 8;

type Effect = TenantEffect['do'];

/** A tenant whose store and receivers answer when the test says so. */
class Tenant {
  /** Deliveries of which a request was made, in order. */
  readonly sent: string[] = [];
  readonly #sentTo = new Map<string, number>();
  readonly #asked: TenantEffect[] = [];
  #state;

  constructor() {
    const [state, ...effects] = tenant.start({ tenantId: 't', epoch: 1 }, NOW);
    this.#state = state;
    this.#follow(effects);
  }

  receive(message: TenantCommand | TenantEvent): void {
    const [state, ...effects] = tenant.handle(this.#state, message, NOW);
    this.#state = state;
    this.#follow(effects);
  }

  sentTo({ _id }: WebhookRow): number {
    return this.#sentTo.get(_id) ?? 0;
  }

  /** What it asked of the store and was not answered. */
  asks(what: Effect): readonly TenantEffect[] {
    return this.#asked.filter((effect) => effect.do === what);
  }

  looked(seen: Partial<Snapshot> = {}): void {
    const { round } = this.#answered('poll');
    const nothing: Snapshot = {
      rev: 1,
      sendsRev: 0,
      billingRev: 0,
      questionsRev: 0,
      webhooks: [WEBHOOK],
      fresh: [],
      others: false,
      moreEvents: false,
      alertAt: null,
    };
    this.receive({ type: 'snapshotLoaded', round, snapshot: { ...nothing, ...seen } });
  }

  /** The answer to the `nth` question that waits for one. */
  taken(rows: readonly DeliveryRow[], nth = 0): void {
    const { round, webhookId } = this.#answered('take', nth);
    this.receive({ type: 'taken', round, webhookId, taken: { rows, more: false, nextAt: null } });
  }

  delivered({ _id }: DeliveryRow, pace: EndpointPace = 'steady'): void {
    this.receive({ type: 'attempted', webhookId: WEBHOOK._id, id: _id, nextAt: null, pace });
  }

  #answered<D extends Effect>(what: D, nth = 0): Extract<TenantEffect, { do: D }> {
    const effect = this.asks(what)[nth];
    assert.ok(effect, `nothing asked: ${what}`);
    this.#asked.splice(this.#asked.indexOf(effect), 1);
    return effect as Extract<TenantEffect, { do: D }>;
  }

  #follow(effects: readonly { readonly do: string }[]): void {
    for (const effect of effects as readonly TenantEffect[]) {
      if (effect.do === 'attempt') {
        this.sent.push(effect.row._id);
        this.#sentTo.set(effect.webhook._id, this.sentTo(effect.webhook) + 1);
      }
      if (effect.do === 'poll' || effect.do === 'take') this.#asked.push(effect);
    }
  }
}

const delivery = (): DeliveryRow => deliveryTo(WEBHOOK, '');
const deliveryTo = (webhook: WebhookRow, body: string): DeliveryRow =>
  newDelivery(webhook, { event_id: 'e', event: 'message.received', body }, { isAsked: true, epoch: 1, now: NOW });
const deliveries = (count: number): readonly DeliveryRow[] => Array.from({ length: count }, delivery);
const eventsArrived: TenantCommand = { type: 'eventsArrived', replyTo: {} };

/** Awake, with nothing waiting. */
function aTenant(): Tenant {
  const idle = new Tenant();
  idle.looked();
  idle.taken([]);
  return idle;
}

describe('a delivery that is returned by an outdated query', () => {
  it('is sent once if the query started before the delivery was completed', () => {
    const one = aTenant();
    const rows = deliveries(210);
    one.receive(eventsArrived);
    one.looked({ fresh: rows });
    for (const row of rows.slice(0, 200)) one.delivered(row);
    assert.equal(one.asks('take').length, 1, 'it asks for what did not fit while some are under way');
    const asItWas = rows.slice(192);
    for (const row of rows.slice(192, 200)) one.delivered(row);
    one.taken(asItWas);
    for (const row of rows.slice(200)) one.delivered(row);
    assert.deepEqual(
      one.sent,
      rows.map(({ _id }) => _id),
    );
  });

  it('is sent once if another poll has already returned it', () => {
    const one = aTenant();
    const [waiting, fresh] = [deliveries(3), deliveries(3)];
    one.receive(eventsArrived);
    one.looked({ others: true });
    one.receive(eventsArrived);
    one.taken([...waiting, ...fresh]);
    for (const row of [...waiting, fresh[0]!]) one.delivered(row);
    one.looked({ fresh });
    one.taken(fresh.slice(1));
    assert.deepEqual(
      one.sent,
      [...waiting, ...fresh].map(({ _id }) => _id),
    );
  });

  it('is sent once if the query began before a store failure and returned after it', () => {
    const one = aTenant();
    const rows = deliveries(3);
    one.receive(eventsArrived);
    one.looked({ others: true });
    one.receive({ type: 'storeFailed' });
    one.receive({ type: 'pollDue' });
    one.looked();
    assert.equal(one.asks('take').length, 2);
    one.taken(rows, 1);
    for (const row of rows) one.delivered(row);
    one.taken(rows);
    assert.deepEqual(
      one.sent,
      rows.map(({ _id }) => _id),
    );
  });
});

describe('a tenant whose handover finds no new owner', () => {
  it('resumes its pending deliveries, even if a poll was running during the handover', () => {
    const one = aTenant();
    const rows = deliveries(3);
    one.receive(eventsArrived);
    one.looked({ others: true });
    one.receive({ type: 'drain', replyTo: {} });
    one.taken(rows);
    assert.deepEqual(one.sent, []);
    one.receive({ type: 'pollDue' });
    one.looked();
    one.taken(rows);
    assert.deepEqual(
      one.sent,
      rows.map(({ _id }) => _id),
    );
  });
});

it('an endpoint that responds quickly gets more concurrent requests, and a slow one fewer', () => {
  const one = aTenant();
  one.receive(eventsArrived);
  const rows = deliveries(180);
  one.looked({ fresh: rows });
  const over = new Set<string>();
  const inFlight = (): readonly DeliveryRow[] => rows.filter(({ _id }) => one.sent.includes(_id) && !over.has(_id));
  const round = (pace: EndpointPace): number => {
    for (const row of inFlight()) {
      over.add(row._id);
      one.delivered(row, pace);
    }
    return inFlight().length;
  };
  assert.equal(inFlight().length, 8);
  assert.deepEqual([round('quick'), round('quick'), round('quick')], [16, 32, 32]);
  assert.deepEqual([round('steady'), round('slow')], [32, 4]);
});

describe('a tenant with unresponsive endpoints', () => {
  it('sends only a few large requests per endpoint at a time, and starts the next ones when those are done', () => {
    const one = aTenant();
    const LONG = 64 * 1_024;
    const rows = Array.from({ length: 60 }, () => deliveryTo(WEBHOOK, 'x'.repeat(LONG)));
    one.receive(eventsArrived);
    one.looked({ fresh: rows });
    for (let nth = 0; one.asks('take').length === 0; nth += 1) one.delivered(rows[nth]!);
    const held = one.sent.length;
    assert.ok(held * LONG <= 2 * 1_024 * 1_024, `it held ${held} of them`);
    for (const row of rows.slice(held - WINDOW, held)) one.delivered(row);
    one.taken(rows.slice(held, held + WINDOW));
    assert.equal(one.sent.length, held + WINDOW);
  });

  it('limits its total number of requests, and sends some to each endpoint', () => {
    const one = aTenant();
    const webhooks = Array.from({ length: 50 }, (_, nth): WebhookRow => ({ ...WEBHOOK, _id: `hook_${nth}` }));
    one.receive(eventsArrived);
    one.looked({ webhooks });
    for (const webhook of webhooks) one.taken(Array.from({ length: 10 }, () => deliveryTo(webhook, '')));
    assert.ok(one.sent.length <= 128 + 50 * 4, `${one.sent.length} at once`);
    assert.ok(webhooks.every((webhook) => one.sentTo(webhook) >= 4));
  });
});
