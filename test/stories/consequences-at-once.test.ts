import assert from 'node:assert/strict';
import { it } from 'node:test';
import { memberOf } from '../../runtime/shapes.ts';
import type { Collection, CollectionSpec, Doc, Store } from '../../store/port.ts';
import { ANNA, aGateway, PHONE } from '../support/gateway.ts';
import { embedded, type StoreKind } from '../support/stores.ts';

const WRITES = new Set(['insertOne', 'insertMany', 'updateOne', 'updateMany', 'findOneAndUpdate']);
const SECOND = 1_000;

/** The embedded store; each write that is all or nothing, and each that is not, by its collections; and each look into a device's queue. */
function watched(): { readonly kind: StoreKind; readonly together: string[]; readonly alone: string[]; readonly looks: unknown[] } {
  const [together, alone]: [string[], string[]] = [[], []];
  const looks: unknown[] = [];
  async function fresh(scope: Parameters<StoreKind['fresh']>[0]): Promise<Store> {
    const own = await embedded.fresh(scope);
    let begun: string[] | null = null;
    const collection = <T extends Doc>(spec: CollectionSpec): Collection<T> =>
      new Proxy(own.collection<T>(spec), {
        get(target, name) {
          const member: unknown = Reflect.get(target, name);
          if (typeof member !== 'function') return member;
          return (...args: unknown[]) => {
            if (name === 'find' && memberOf(args[0], 'lane') !== undefined) looks.push(args[0]);
            if (WRITES.has(String(name))) (begun ?? alone).push(spec.name);
            return member.apply(target, args);
          };
        },
      });
    return {
      ...{ name: own.name, collection, prepare: () => own.prepare(), ping: () => own.ping(), sweep: (now) => own.sweep(now) },
      ...{ close: () => own.close(), writesTo: (of) => own.writesTo?.(of) ?? 0 },
      soon: () => own.soon?.() ?? Promise.resolve(),
      together(issue, isStrict) {
        begun = [];
        try {
          return own.together?.(issue, isStrict) ?? issue();
        } finally {
          together.push(begun.toSorted().join());
          begun = null;
        }
      },
    };
  }
  return { kind: { name: 'embedded', fresh }, together, alone, looks };
}

it('all side effects of a message to a contact are stored in one transaction', async (t) => {
  const { kind, together, alone } = watched();
  const gateway = await aGateway(t, { kind });
  const acme = await gateway.signUp();
  await acme.api('POST', '/v1/webhooks', {
    url: 'https://example.com/in',
    events: ['message.sent'],
    secret: 'a secret of at least thirty-two letters',
  });
  await acme.api('POST', '/v1/contacts', { phone: `+${ANNA}`, name: 'Anna' });
  const device = await acme.linked(PHONE);
  await device.text(ANNA, 'Hello');
  await gateway.clock.advance(SECOND);
  const { key } = (await acme.api('POST', '/v1/api-keys', { name: 'shop' })).body;
  for (const [who, by] of [
    ['a program', gateway.as(key)],
    ['a person', acme.api],
  ] as const) {
    together.length = 0;
    alone.length = 0;
    const sent = await by('POST', `${device.path}/messages`, { chat_id: ANNA, type: 'text', body: 'Hi' });
    assert.equal(sent.status, 202);
    const { id } = sent.body;
    await gateway.until('it is sent', async () => (await device.message(id)).status !== 'queued');
    await gateway.clock.advance(SECOND);
    assert.ok(together.includes('analytics_buckets,chats,contacts,events,messages,wakeups'), `${who}: ${together.join(' | ')}`);
    assert.deepEqual(
      alone.filter((name) => ['chats', 'contacts', 'analytics_buckets'].includes(name)),
      [],
      who,
    );
  }
});

it('a message for an idle device is claimed by the same write that stores it, unless it has an idempotency key', async (t) => {
  const { kind, looks } = watched();
  const gateway = await aGateway(t, { kind });
  const acme = await gateway.signUp();
  await acme.api('PUT', '/v1/settings', { pacing: { min_delay_ms: 0, max_delay_ms: 0, typing: false }, warmup: { enabled: false } });
  const device = await acme.linked(PHONE);
  const sent = async (headers: Record<string, string>): Promise<number> => {
    looks.length = 0;
    const { status, body } = await acme.api('POST', `${device.path}/messages`, { chat_id: ANNA, type: 'text', body: 'Hi' }, headers);
    assert.equal(status, 202);
    await gateway.until('it is sent', async () => (await device.message(body.id)).status !== 'queued');
    await gateway.clock.advance(SECOND);
    return looks.length;
  };
  await sent({});
  assert.equal(await sent({}), 0);
  assert.ok((await sent({ 'Idempotency-Key': 'order-7' })) > 0);
  assert.equal(await sent({}), 0);
});
