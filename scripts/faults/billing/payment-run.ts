import { createServer } from 'node:http';
import { pause, systemClock } from '../../../runtime/clock.ts';
import { asError } from '../../../runtime/errors.ts';
import { addressOf } from '../../../runtime/listening.ts';
import { callbackOf, keysFor, PROVIDERS, type Provider } from '../../../test/support/billing/callbacks.ts';
import { type ProviderDoubles, providerDoubles } from '../../../test/support/billing/provider-doubles.ts';
import { type Scope, scoped } from '../../../test/support/stores.ts';
import { type Answer, type Call, callerOf, expected } from '../caller.ts';
import { DISARMED, until } from '../processes.ts';
import { World } from '../world.ts';

export const STEPS = [
  { phase: 'checkout', write: 'billing_accounts:1', is: 'the order' },
  { phase: 'checkout', write: 'invoices:1', is: 'the invoice' },
  { phase: 'checkout', write: 'billing_accounts:2', is: 'the payment page, before it is asked for' },
  { phase: 'checkout', write: 'billing_accounts:3', is: 'the payment page, when it is made' },
  { phase: 'hook', write: 'billing_accounts:1', is: 'the conditional write that the hook leads to' },
  { phase: 'hook', write: 'invoice_payments:1', is: "the provider's payment" },
  { phase: 'hook', write: 'invoice_numbers:1', is: 'the number' },
  { phase: 'hook', write: 'invoices:1', is: 'the paid invoice' },
  { phase: 'hook', write: 'audit:1', is: 'the entry of the payment' },
  { phase: 'hook', write: 'tenants:1', is: 'the change of plan' },
  { phase: 'hook', write: 'events:1', is: 'the event of the plan' },
  { phase: 'hook', write: 'audit:2', is: 'the entry of the plan' },
  { phase: 'hook', write: 'events:2', is: 'the event of the invoice' },
  { phase: 'hook', write: 'billing_outbox:1', is: 'the note that all but the receipt is done' },
  { phase: 'hook', write: 'billing_outbox:2', is: 'the note that the receipt was sent' },
] as const;

export interface PaymentRun {
  readonly kills: number;
  /** Index of the first kill. Even numbers kill before a write of STEPS, and odd numbers after it. */
  readonly from: number;
  readonly mongodbUrl: string | null;
}

export interface PaymentVerdict {
  readonly payments: number;
  readonly kills: number;
  readonly survived: readonly string[];
  readonly wrong: readonly string[];
}

interface Payer {
  readonly call: () => Promise<Call>;
  readonly phone: string;
  readonly provider: Provider;
  readonly where: string;
}

const SETTLED_WITHIN_MS = 120_000;
const LAST_WRITE_WITHIN_MS = 2_000;

export async function runPayments(run: PaymentRun): Promise<PaymentVerdict> {
  return scoped(async (scope) => {
    const [doubles, receiver] = [await providerDoubles(scope), await aReceiver(scope)];
    const keys = Object.entries(keysFor(doubles)).map(([name, value]) => [name.toUpperCase(), String(value)]);
    // The address stays the same, as in production, so a restarted gateway requests the same page.
    const env = { ...Object.fromEntries(keys), EGRESS_ALLOW: receiver.place, BASE_URL: 'https://gateway.example' };
    const world = await World.open({ guard: 'on', mongodbUrl: run.mongodbUrl, victim: { name: 'payments', env } });
    try {
      const payers: Payer[] = [];
      const survived: string[] = [];
      for (let nth = 0; nth < run.kills; nth += 1) {
        const { payer, died } = await killed(world, doubles, receiver.url, run.from + nth, nth);
        payers.push(payer);
        if (!died) survived.push(payer.where);
      }
      const wrong: string[] = [];
      for (const payer of payers) wrong.push(...(await faultsOf(world, payer)));
      wrong.push(...(await gapsOf(payers)));
      return { payments: payers.length, kills: payers.length - survived.length, survived, wrong };
    } finally {
      await world.close();
    }
  });
}

async function killed(world: World, doubles: ProviderDoubles, receiver: string, at: number, nth: number) {
  const step = STEPS[Math.floor(at / 2) % STEPS.length] ?? STEPS[0];
  const when = at % 2 === 0 ? 'before' : 'after';
  const payer = await signedUp(world, nth, `${when} ${step.is}`);
  expected(
    await (await payer.call())('POST', '/v1/webhooks', {
      url: receiver,
      secret: 'the secret of a receiver of fault runs',
      events: ['invoice.paid', 'plan.changed'],
    }),
    201,
  );
  const died = diedOf(world);
  if (step.phase === 'checkout') world.gateway.arm(`${when}:${step.write}`);
  const { invoice } = await persistently(world, async () => ordered(await payer.call(), payer.provider));
  const page = Object.assign(doubles.page(invoice.id), { paid: true });
  if (step.phase === 'hook') world.gateway.arm(`${when}:${step.write}`);
  await persistently(world, async () => {
    const { path, body, headers } = callbackOf(payer.provider, page, systemClock.now());
    return expected(await callerOf(await world.gateway.url, headers, { keepAlive: false })('POST', path, JSON.parse(body)), 200);
  });
  const isSettled = async (): Promise<boolean> => (await persistently(world, async () => faultsOf(world, payer))).length === 0;
  await until(SETTLED_WITHIN_MS, isSettled);
  if (!died()) await disarm(world);
  return { payer, died: died() };
}

/**
 * Disarms the gateway. A payment's last write has no visible effect, so a gateway that is about to
 * die at that write gets some time first.
 */
async function disarm(world: World): Promise<void> {
  const { gateway } = world;
  const dead = gateway.ended.then(() => true);
  let isDead = await Promise.race([dead, pause(systemClock, LAST_WRITE_WITHIN_MS).then(() => false)]);
  if (!isDead) {
    const alive = gateway.says(DISARMED).then(() => false);
    gateway.arm('');
    isDead = await Promise.race([dead, alive]);
  }
  if (isDead) await world.start();
}

function diedOf(world: World): () => boolean {
  const first = world.gateway;
  return () => world.gateway !== first;
}

async function ordered(api: Call, provider: Provider): Promise<Answer['body']> {
  const order = { plan: 'pro', provider, currency: provider === 'stripe' ? 'USD' : 'IDR' };
  return expected(await api('POST', '/v1/billing/checkout', order), 200, 201);
}

async function persistently<T>(world: World, work: () => Promise<T>): Promise<T> {
  for (;;) {
    const { gateway } = world;
    try {
      return await work();
    } catch (cause) {
      if (/answered \d/.test(asError(cause).message)) throw cause;
      await gateway.ended;
      await world.start();
    }
  }
}

async function signedUp(world: World, nth: number, where: string): Promise<Payer> {
  const phone = `62812000${String(nth).padStart(5, '0')}`;
  const open = callerOf(await world.gateway.url, {}, { keepAlive: false });
  expected(await open('POST', '/auth/register', { name: `Payer ${nth}`, phone }), 200);
  const code = /\d{6}/.exec((await textsOf(world, phone))[0] ?? '')?.[0];
  const { token } = expected(await open('POST', '/auth/verify-otp', { phone, code }), 200);
  const call = async (): Promise<Call> => callerOf(await world.gateway.url, { authorization: `Bearer ${token}` }, { keepAlive: false });
  return { call, phone, where, provider: PROVIDERS[nth % PROVIDERS.length] ?? 'midtrans' };
}

async function textsOf(world: World, phone: string): Promise<readonly string[]> {
  const { messages } = expected(await world.sandbox('GET', `/sandbox/phones/${phone}/messages`), 200);
  return messages.map(({ body }: { body: string }) => body);
}

async function faultsOf(world: World, { call, phone, where }: Payer): Promise<readonly string[]> {
  const api = await call();
  const get = async (path: string): Promise<Answer['body']> => expected(await api('GET', path), 200);
  const [{ plan, status, credit }, { invoices }, { entries }, { events }, texts] = await Promise.all([
    get('/v1/billing'),
    get('/v1/billing/invoices'),
    get('/v1/audit?limit=100'),
    get('/v1/events/pull?limit=100'),
    textsOf(world, phone),
  ]);
  const count = (all: readonly string[], one: string): number => all.filter((name) => name === one).length;
  const actions = entries.map(({ action }: { action: string }) => action);
  const types = events.map(({ type }: { type: string }) => type);
  const [invoice] = invoices;
  const seen = {
    plan: `${plan} ${status} ${credit.amount}`,
    invoices: `${invoices.length} ${invoice?.status}`,
    receipts: texts.filter((text) => invoice?.number && text.includes(invoice.number)).length,
    settled: count(actions, 'payment.settle'),
    changed: count(actions, 'plan.change'),
    paid: count(types, 'invoice.paid'),
    moved: count(types, 'plan.changed'),
  };
  const wanted = { plan: 'pro active 0', invoices: '1 paid', receipts: 1, settled: 1, changed: 1, paid: 1, moved: 1 };
  const isRight = JSON.stringify(seen) === JSON.stringify(wanted);
  return isRight ? [] : [`killed ${where}: ${JSON.stringify(seen)}`];
}

async function gapsOf(payers: readonly Payer[]): Promise<readonly string[]> {
  const places: number[] = [];
  for (const { call } of payers) {
    const { invoices } = expected(await (await call())('GET', '/v1/billing/invoices'), 200);
    places.push(...invoices.map(({ number }: { number: string | null }) => Number(number?.split('-').at(-1))));
  }
  const sorted = places.toSorted((one, other) => one - other);
  return sorted.every((place, nth) => place === nth + 1) ? [] : [`numbers ${sorted.join()}`];
}

async function aReceiver(scope: Scope): Promise<{ readonly url: string; readonly place: string }> {
  const server = createServer((_request, response) => response.end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  scope.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const place = `127.0.0.1:${addressOf(server).port}`;
  return { url: `http://${place}/`, place };
}
