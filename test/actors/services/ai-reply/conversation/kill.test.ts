import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Collection, CollectionSpec, Doc, Store } from '../../../../../store/port.ts';
import { mortalStore } from '../../../../support/mortal-store.ts';
import { eachStore, type StoreKind } from '../../../../support/stores.ts';
import { type AiShop, ANSWERS, anAiShop } from '../ai-fixture.ts';
import { engineDouble, honest, SILENCE } from '../engine-double.ts';

/** Writes that an answer takes, from the message that comes in to the reply that left. */
const WRITTEN: ReadonlySet<string> = new Set(['ai_chats', 'ai_reply_counts', 'messages', 'wakeups']);
const MAX_WRITES = 30;
const QUESTION = 'jam buka toko?';

/** A store whose process can be killed at one of these writes, and the next process finds it as it was left. */
function killable(kind: StoreKind) {
  let isArmed = false;
  let dying: ReturnType<typeof mortalStore> | null = null;
  const over = (store: Store): Store => {
    const collection = <T extends Doc>(spec: CollectionSpec): Collection<T> => {
      const alive = store.collection<T>(spec);
      const opened = new WeakMap<object, object>();
      return new Proxy(alive, {
        get(target, name) {
          const through = isArmed && dying !== null ? dying : null;
          const isCounted = through !== null && (WRITTEN.has(spec.name) || through.isDead());
          if (!isCounted) return bound(target, name);
          const known = opened.get(through) ?? through.store.collection(spec);
          opened.set(through, known);
          return bound(known, name);
        },
      });
    };
    return {
      name: store.name,
      collection,
      prepare: () => store.prepare(),
      ping: () => store.ping(),
      sweep: (now) => store.sweep(now),
      close: () => store.close(),
    };
  };
  let inner: Store | null = null;
  return {
    kind: {
      name: kind.name,
      fresh: async (scope) => {
        inner = await kind.fresh(scope);
        return over(inner);
      },
    } satisfies StoreKind,
    /** From now on, only the first `made` of these writes are made; then the process dies. */
    arm(made: number): void {
      if (inner) dying = mortalStore(inner, made === 0 ? { write: 1, isMade: false } : { write: made, isMade: true });
      isArmed = true;
    },
    isDead: () => dying?.isDead() ?? false,
    revive(): void {
      isArmed = false;
      dying = null;
    },
  };
}

function bound(target: object, name: string | symbol): unknown {
  const member: unknown = Reflect.get(target, name);
  return typeof member === 'function' ? member.bind(target) : member;
}

const phone = (nth: number): string => `62812777${String(nth).padStart(5, '0')}`;

eachStore('an AI reply', (kind) => {
  it('is sent and counted exactly once if the process crashes before or after any of its writes', async (t) => {
    const store = killable(kind);
    let shop: AiShop = await anAiShop(t, store.kind);
    let killed = 0;
    const asked: string[] = [];
    // Dead behind a write is dead before the next one. Each death costs a process: one store takes the even ones, the other some of the odd ones.
    const [first, step] = kind.name === 'mongodb' ? [1, 4] : [0, 2];
    for (let made = first; made <= MAX_WRITES; made += step) {
      const from = phone(made);
      store.arm(made);
      shop.write(from, QUESTION);
      await shop.eventually('it is dead, or answered', () => store.isDead() || shop.received(from).length > 0);
      const isOver = !store.isDead();
      if (!isOver) killed += 1;
      const crashed = shop.restarted();
      store.revive();
      shop = await crashed;
      await shop.receives(from, 1);
      asked.push(from);
      if (isOver) break;
    }
    await shop.settled();
    for (const [nth, from] of asked.entries()) assert.deepEqual(shop.received(from), [ANSWERS.hours[1]], `kill ${nth + 1}`);
    assert.equal((await shop.api('GET', '/v1/ai-reply')).body.quota.used, asked.length);
    assert.ok(killed >= 3, `${killed} kills`);
  });

  it('is generated again after a crash during the engine call, and is sent once', async (t) => {
    const engine = await engineDouble(t);
    const shop = await anAiShop(t, kind, { ai_url: engine.url, ai_model: 'small' });
    shop.gateway.clock.waitWhile(engine.isBusy, 'the engine');
    engine.mind = () => SILENCE;
    shop.write(phone(1), QUESTION);
    await shop.eventually('the engine is asked', () => engine.asked.length > 0);
    const after = await shop.restarted();
    engine.mind = honest;
    await after.receives(phone(1), 1);
    await after.settled();
    assert.deepEqual(after.received(phone(1)), [ANSWERS.hours[1]]);
    assert.ok(engine.asked.length >= 2);
    const { quota } = (await after.api('GET', '/v1/ai-reply')).body;
    assert.equal(quota.used, 1);
  });
});
