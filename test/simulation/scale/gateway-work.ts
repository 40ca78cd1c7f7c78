/**
 * Counts the MongoDB commands of a complete gateway for one text, one received message, one login and one idle minute. The
 * gateway runs over the simulated server on virtual time, so the counts are the same on every machine.
 */
import { ANNA, aGateway, type Gateway, PHONE } from '../../support/gateway.ts';
import { SimulatedMongo } from '../../support/simulated-mongo/simulated-mongo.ts';
import { turns, turnsPassage } from '../../support/simulated-mongo/turns.ts';
import type { Scope } from '../../support/stores.ts';

/** Numbers of MongoDB commands, and the collections that the writes change. */
export interface Work {
  readonly reads: number;
  readonly writes: number;
  readonly byCollection: ReadonlyMap<string, number>;
}

export interface GatewayWork {
  readonly text: Work;
  readonly received: Work;
  readonly login: Work;
  readonly idleMinute: Work;
  /** Size of the rows that one text and one received message leave in each collection, in bytes of JSON. */
  readonly bytes: ReadonlyMap<string, number>;
}

const TABLES = ['messages', 'chats', 'contacts', 'events'];
const MESSAGES = 20;
const MINUTE_MS = 60_000;

export async function gatewayWork(scope: Scope): Promise<GatewayWork> {
  const mongo = new SimulatedMongo();
  let counts = new Counts();
  const passage = turnsPassage(1);
  const counting: typeof passage = (apply, call) => {
    counts.note(call.table, call.method, call.isWrite);
    return passage(apply, call);
  };
  const fresh = async () => mongo.store(counting, turns);
  const gateway = await aGateway(scope, { kind: { name: 'mongodb', fresh } });
  const during = async (times: number, happens: () => Promise<unknown>): Promise<Work> => {
    counts = new Counts();
    await happens();
    return counts.each(times);
  };
  const acme = await gateway.signUp();
  const device = await acme.linked(PHONE);
  const write = async (nth: number): Promise<void> => {
    const id = await device.text(ANNA, `Text ${nth}`);
    await gateway.until('it is read', async () => mongo.row('messages', id)?.['status'] === 'read');
  };
  const answer = async (nth: number): Promise<void> => {
    gateway.sandbox.phone(ANNA).write({ to: PHONE, content: { type: 'text', body: `Answer ${nth}` } });
    const isFollowed = (): boolean =>
      mongo.rows('messages').some((row) => row['body'] === `Answer ${nth}` && row['outbox_pending'] !== true);
    await gateway.until('it is in the log', isFollowed);
  };
  await write(0);
  await answer(0);
  await gateway.clock.advance(MINUTE_MS);
  const idle = await during(10, () => gateway.clock.advance(10 * MINUTE_MS));
  const texts = await during(MESSAGES, () => inTurn(write));
  const before = sizes(mongo);
  const received = await during(MESSAGES, () => inTurn(answer));
  const bytes = new Map([...sizes(mongo)].map(([table, size]) => [table, (size - (before.get(table) ?? 0)) / MESSAGES]));
  const login = await during(mongo.rows('devices').length, () => restarted(gateway, mongo));
  return { text: texts, received, login, idleMinute: idle, bytes };
}

class Counts {
  #reads = 0;
  readonly #writes = new Map<string, number>();

  note(table: string, method: string, isWrite: boolean): void {
    if (!isWrite) this.#reads += 1;
    // Index creation is not counted, because it happens only at the first start.
    else if (!method.endsWith('Indexes')) this.#writes.set(table, (this.#writes.get(table) ?? 0) + 1);
  }

  each(times: number): Work {
    const byCollection = [...this.#writes].map(([table, count]): [string, number] => [table, count / times]);
    const writes = byCollection.reduce((sum, [, count]) => sum + count, 0);
    return { reads: this.#reads / times, writes, byCollection: new Map(byCollection.sort(([, a], [, b]) => b - a)) };
  }
}

/** Restarts the gateway, so that each device gets a new owner and logs in. */
async function restarted(gateway: Gateway, mongo: SimulatedMongo): Promise<void> {
  const next = await gateway.crash();
  const isOnline = (): boolean =>
    mongo.rows('devices').every(({ status, epoch, unpublished }) => status === 'connected' && Number(epoch) > 1 && !unpublished);
  await next.until('the devices are online again', isOnline);
}

function sizes(mongo: SimulatedMongo): ReadonlyMap<string, number> {
  return new Map(TABLES.map((table) => [table, mongo.rows(table).reduce((sum, row) => sum + JSON.stringify(row).length, 0)]));
}

async function inTurn(one: (nth: number) => Promise<void>): Promise<void> {
  for (let nth = 1; nth <= MESSAGES; nth += 1) await one(nth);
}
